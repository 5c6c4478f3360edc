"""Abbreviations that a paper declares and then uses by their keys: "long form (short)" first, later "short".

Sources: the manuals of the packages "glossaries", "acronym" and "acro".
"""

import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple

from curation.sources.documents.latex.stream import TokenStream
from curation.sources.documents.latex.tokens import token_lists

_SHORT, _LONG, _FULL, _BY_USE = range(4)
_USES = {  # of each form the commands that write it
    _SHORT: "acrshort acs acsp acrshortpl glsentryshort glsentryshortpl glsentrytext glsentryname glstext glsxtrshort",
    _LONG: "acrlong Acrlong acl Acl aclp acrlongpl glsentrylong glsentrylongpl Glsentrylong glsxtrlong",
    _FULL: "acrfull Acrfull acf Acf acfp acrfullpl glsentryfull glsxtrfull",
    _BY_USE: "gls Gls glspl Glspl ac Ac acp Acp",
}
_PLURALS = ("pl", "acp", "Acp", "acsp", "aclp", "acfp")
_STATED = re.compile(r"\b(short|long|name)\s*=\s*(?:\{([^{}]*)\}|([^,{}]*))")


class _Abbreviation(NamedTuple):
    short: list[str]
    long: list[str]  # none of an entry of a glossary


class Abbreviations:
    """Those of a paper; `commands` are read with its other ones, unless it has macros of these names."""

    def __init__(self, tokens: TokenStream) -> None:
        self._tokens = tokens
        self._known: dict[str, _Abbreviation] = {}
        self._used: set[str] = set()
        self.commands: dict[str, Callable[[str], None]] = {
            **{f"\\{name}": self._form(form, name) for form, names in _USES.items() for name in names.split()},
            **dict.fromkeys((r"\newacronym", r"\newabbreviation"), self._declare),
            **dict.fromkeys((r"\acrodef", r"\newacro", r"\acro"), self._declare_with_option),
            **dict.fromkeys((r"\DeclareAcronym", r"\newglossaryentry"), self._declare_by_names),
            **dict.fromkeys((r"\glsresetall", r"\acresetall"), lambda _: self._used.clear()),
        }

    def _declare(self, _: str) -> None:
        self._tokens.drop_blanks()
        self._tokens.drop_options()
        key = self._tokens.words()
        self._known[key] = _Abbreviation(self._tokens.argument(), self._tokens.argument())

    def _declare_with_option(self, _: str) -> None:
        self._tokens.drop_star()
        key = self._tokens.words()
        short = self._tokens.option()
        self._known[key] = _Abbreviation([*_cut(key)] if short is None else short, self._tokens.argument())

    def _declare_by_names(self, _: str) -> None:
        key = self._tokens.words()
        stated = {name: braced or bare.strip() for name, braced, bare in _STATED.findall(self._tokens.words())}
        short = stated.get("short") or stated.get("name") or key
        self._known[key] = _Abbreviation([*_cut(short)], [*_cut(stated.get("long", ""))])

    def _form(self, form: int, name: str) -> Callable[[str], None]:
        """The tokens that write an abbreviation in a form."""
        plural = name.endswith(_PLURALS)
        capital = name[0].isupper()

        def write(_: str) -> None:
            self._tokens.drop_star()
            self._tokens.drop_options()
            if self._tokens.peek() != "{":
                return
            key = self._tokens.words()
            found = self._known.get(key)
            if found is None:
                self._tokens.push([*_cut(key)])
                return
            shown = form if form != _BY_USE else _SHORT if key in self._used else _FULL
            self._used |= {key} if form == _BY_USE else set()
            self._tokens.push(_written(found, shown if found.long else _SHORT, plural, capital))

        return write


def _written(abbreviation: _Abbreviation, form: int, plural: bool, capital: bool) -> list[str]:
    """Its tokens, in groups so that the commands in them end with it."""
    ending = ["s"] if plural else []
    short = ["{", *abbreviation.short, "}", *ending]
    long = ["{", *abbreviation.long, "}", *ending]
    written = short if form == _SHORT else long if form == _LONG else [*long, " (", *short, ")"]
    return ["{", written[1][:1].upper() + written[1][1:], *written[2:]] if capital else written


def _cut(text: str) -> Iterator[str]:
    return chain.from_iterable(token_lists(text))

"""What a recipe can name: every part with one sentence, and all that there is to say about one of them.

Everything comes from the parts' own files: the sentence and the text from the docstring, an option's meaning and unit
from the comment beside it, limits from the rules that its defaults give.
"""

import ast
import dataclasses
import inspect
import io
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

from curation.core import catalog
from curation.core.errors import UserError
from curation.core.settings import nearest

DRAFT = "@unigrams"  # stands for an option that must be given, so that the limits can be told


@dataclass(frozen=True)
class Part:
    """A part by the verb and the key that a recipe names it with; `sentence` says what it does."""

    verb: str
    key: str
    sentence: str


@dataclass(frozen=True)
class Option:
    """`default` as Python writes it, None where the option must be given; `note` says meaning and unit, if anything."""

    name: str
    kind: str
    default: str | None
    note: str


@dataclass(frozen=True)
class Description:
    """A part's whole docstring, its options, and the limits that its defaults set ("words from 50 to 100000")."""

    part: Part
    text: str
    options: tuple[Option, ...]
    limits: tuple[str, ...]


def parts() -> list[Part]:
    """Every part of every verb, in the order in which a recipe has them."""
    return [Part(verb, key, _sentence(cls)) for verb, key, cls in _known()]


def describe(key: str) -> list[Description]:
    """The parts of this key, of whatever verb. Raises UserError naming the nearest known one."""
    known = list(_known())
    found = [(verb, cls) for verb, name, cls in known if name == key]
    if not found:
        raise UserError(f"no part named {key!r}{nearest(key, (name for _, name, _ in known))}")
    return [_described(Part(verb, key, _sentence(cls)), cls) for verb, cls in found]


def _known() -> Iterator[tuple[str, str, type]]:
    for verb in catalog.ROOMS:
        if verb in catalog.DIRECT:
            yield verb, verb, catalog.find(verb, catalog.DIRECT[verb])
        else:
            yield from ((verb, key, catalog.find(verb, key)) for key in catalog.known(verb))


def _text(cls: type) -> str:
    return inspect.cleandoc(sys.modules[cls.__module__].__doc__ or "")


def _sentence(cls: type) -> str:
    return " ".join(_text(cls).partition("\n\n")[0].partition(".\n")[0].split()).rstrip(".") + "."


def _described(part: Part, cls: Any) -> Description:
    notes = _notes(cls)
    options = tuple(
        Option(one.name, _kind(one.type), _default(one), notes.get(one.name, ""))
        for one in dataclasses.fields(cls)
        if one.init
    )
    return Description(part, _text(cls), options, _limits(cls) if part.verb == "filter" else ())


def _kind(given: Any) -> str:
    return given if isinstance(given, str) else inspect.formatannotation(given).replace("collections.abc.", "")


def _default(one: "dataclasses.Field[Any]") -> str | None:
    if one.default_factory is not dataclasses.MISSING:
        return repr(one.default_factory())
    return None if one.default is dataclasses.MISSING else repr(one.default)


def _notes(cls: type) -> dict[str, str]:
    """Option -> the comment on its line, of the class and of those that it is made from."""
    found: dict[str, str] = {}
    for owner in reversed(cls.__mro__):
        if dataclasses.is_dataclass(owner):
            source = inspect.getsource(owner)
            tokens = tokenize.generate_tokens(io.StringIO(source).readline)
            comments = {one.start[0]: one.string.lstrip("# ") for one in tokens if one.type == tokenize.COMMENT}
            body = ast.parse(source).body[0]
            for line in body.body if isinstance(body, ast.ClassDef) else ():
                if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                    lines = range(line.lineno, (line.end_lineno or line.lineno) + 1)
                    note = " ".join(comments[number] for number in lines if number in comments)
                    found |= {line.target.id: note} if note else {}
    return found


def _limits(cls: Any) -> tuple[str, ...]:
    required = {
        one.name: DRAFT
        for one in dataclasses.fields(cls)
        if one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING
    }
    return tuple(_limit(rule) for rule in cls(**required).rules())


def _limit(rule: Any) -> str:
    if rule.one_of is not None:
        return f"{rule.signal}: one of {len(rule.one_of)} values"
    low = f" from {rule.at_least:,}" if rule.at_least != -inf else ""
    high = f" to {rule.at_most:,}" if rule.at_most != inf else ""
    where = f" ({', '.join(rule.only)})" if rule.only else ""
    return f"{rule.signal}{where}:{low}{high}"

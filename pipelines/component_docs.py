"""What a recipe can name: every component with one sentence, and the full description of each.

Everything comes from the components' own files: the sentence and the text from the docstring, an option's meaning and
unit from the comment beside it, limits from the rules that its defaults give. Listing them imports none of winnow's.
"""

import ast
import dataclasses
import inspect
import io
import tokenize
from dataclasses import dataclass
from math import inf
from typing import Any

from curation.core import catalog
from curation.core.errors import UserError
from curation.core.settings import nearest
from curation.core.verbs import VERBS, Verb

DRAFT = "@unigrams"  # stands for an option that must be given, so that the rules can be made


@dataclass(frozen=True)
class Listing:
    """A component by the verb and the key that a recipe names it with; `sentence` says what it does, `package` where it
    comes from if not from winnow ("my-package 1.2")."""

    verb: Verb
    key: str
    sentence: str
    package: str


@dataclass(frozen=True)
class Option:
    """`default` as Python writes it, None where the option must be given; `note` says meaning and unit, if anything."""

    name: str
    kind: str
    default: str | None
    note: str


@dataclass(frozen=True)
class Description:
    """A component's whole docstring, its options, and the limits that its defaults set ("words from 50 to 100000")."""

    component: Listing
    text: str
    options: tuple[Option, ...]
    limits: tuple[str, ...]


def components() -> list[Listing]:
    """Every component of every verb, in the order in which a recipe has them."""
    return [_listing(verb, key) for verb, key in _known()]


def describe(key: str) -> list[Description]:
    """The components of this key, of whatever verb. Raises UserError naming the nearest known one."""
    keys = [(verb, verb.name if verb.only else name) for verb, name in _known()]
    verbs = [verb for verb, name in keys if name == key]
    if not verbs:
        raise UserError(f"no component named {key!r}{nearest(key, (name for _, name in keys))}")
    return [_described(verb, verb.only or key) for verb in verbs]


def _known() -> list[tuple[Verb, str]]:
    return [(verb, key) for verb in VERBS.values() for key in catalog.known(verb)]


def _listing(verb: Verb, key: str) -> Listing:
    sentence = " ".join(_text(verb, key).partition("\n\n")[0].partition(".\n")[0].split()).rstrip(".") + "."
    return Listing(verb, verb.name if verb.only else key, sentence, catalog.package_of(key))


def _text(verb: Verb, key: str) -> str:
    source = catalog.source_of(verb, key).read_text("utf-8")
    return ast.get_docstring(ast.parse(source)) or ""


def _described(verb: Verb, key: str) -> Description:
    cls: Any = catalog.find(verb, key)
    notes = _notes(cls)
    options = tuple(
        Option(one.name, _kind(one.type), _default(one), notes.get(one.name, ""))
        for one in dataclasses.fields(cls)
        if one.init
    )
    return Description(_listing(verb, key), _text(verb, key), options, _limits(cls) if verb.judges else ())


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

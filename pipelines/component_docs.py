"""Documents the components that a recipe or a training config can name: one sentence for each, and a full description.

All of it comes from the components' files: sentence and text from the docstring, an option's meaning and unit from what
its type is annotated with, limits from the rules of the defaults. Listing imports none of winnow's components.
"""

import ast
import dataclasses
import inspect
import re
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf
from types import UnionType
from typing import Any

from curation.core import catalog
from curation.core.close_names import nearest
from curation.core.component import Component
from curation.core.errors import UserError
from curation.core.rules import Rule
from curation.core.verbs import VERBS, Verb
from training.config.components import DEFAULTS

DRAFT = "@fit.signal"  # placeholder for required options, to build the rules


@dataclass(frozen=True)
class Listing:
    """A component by its verb and key. `sentence` says what it does; `package` names its origin if that is
    not winnow ("my-package 1.2")."""

    verb: Verb
    key: str
    sentence: str
    package: str


@dataclass(frozen=True)
class Option:
    """`default` is a Python literal, None for a required option; `note` has meaning and unit. An option within another
    has both names, with NAME for a key and N for a place in a list: sets.NAME.files, phases.N.share."""

    name: str
    kind: str
    default: str | None
    note: str


@dataclass(frozen=True)
class Description:
    """A component's docstring, its options, and the limits of its defaults ("words: from 50 to 100,000").

    `beside` are the options that its stage takes beside the verb, `columns` the fields that it adds to a document and
    their meanings, both only of dedup.
    """

    component: Listing
    text: str
    options: tuple[Option, ...]
    limits: tuple[str, ...]
    beside: tuple[Option, ...] = ()
    columns: tuple[str, ...] = ()


def components() -> list[Listing]:
    """Every component: a recipe's in the order of its verbs, then a training config's."""
    return [_listing(verb, key) for verb, key in _known()]


def describe(key: str) -> list[Description]:
    """The components with this key, of any verb. Raises UserError with the nearest known key."""
    keys = [(verb, verb.name if verb.only else name) for verb, name in _known()]
    verbs = [verb for verb, name in keys if name == key]
    if not verbs:
        raise UserError(f"no component named {key!r}{nearest(key, (name for _, name in keys))}")
    return [_described(verb, verb.only or key) for verb in verbs]


def component_keys() -> list[str]:
    """The keys that `describe` knows."""
    return [verb.name if verb.only else key for verb, key in _known()]


def _known() -> list[tuple[Verb, str]]:
    return [(verb, key) for verb in (*VERBS.values(), *DEFAULTS) for key in catalog.known(verb)]


def _listing(verb: Verb, key: str) -> Listing:
    sentence = " ".join(_text(verb, key).partition("\n\n")[0].partition(".\n")[0].split()).rstrip(".") + "."
    return Listing(verb, verb.name if verb.only else key, sentence, catalog.package_of(key))


def _text(verb: Verb, key: str) -> str:
    source = catalog.source_of(verb, key).read_text("utf-8")
    return ast.get_docstring(ast.parse(source)) or ""


def _described(verb: Verb, key: str) -> Description:
    cls: Any = catalog.find(verb, key)
    described = Description(
        _listing(verb, key), _text(verb, key), tuple(options_of(cls)), _limits(cls) if verb.judges else ()
    )
    if not verb.clusters:
        return described
    from curation.core.dedup_methods import COLUMNS
    from curation.engine.recipe.options import MEANINGS, DedupOptions  # slow to import

    columns = tuple(f"{name}: {MEANINGS[name]}" for name in COLUMNS[cls.use])
    return dataclasses.replace(described, beside=tuple(options_of(DedupOptions)), columns=columns)


def options_of(cls: Any, within: str = "") -> Iterator[Option]:
    """The options of a component or of other settings, each followed by those that it holds; a component that it holds
    has a description of its own."""
    notes = notes_of(cls)
    kinds = typing.get_type_hints(cls)
    for field in dataclasses.fields(cls):
        if field.init:
            name = f"{within}{field.name}"
            kind = kinds[field.name]
            yield Option(name, _kind(kind), _default(field), notes.get(field.name, ""))
            for place, inner in _settings(kind):
                yield from options_of(inner, f"{name}{place}.")


def _settings(kind: Any) -> Iterator[tuple[str, type]]:
    """The settings that a value of the type may hold, by their place in it: ".NAME" of a mapping, ".N" of a list."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type) and not issubclass(kind, Component):
        yield "", kind
    origin = typing.get_origin(kind)
    step = ".NAME" if origin in (dict, Mapping) else ".N" if origin in (list, tuple) else ""
    for one in typing.get_args(kind):
        for place, inner in _settings(one):
            yield f"{step}{place}", inner


def _kind(annotation: Any) -> str:
    """The type, without the modules of classes."""
    if typing.get_origin(annotation) in (typing.Union, UnionType):
        return " | ".join(map(_kind, typing.get_args(annotation)))
    written = "None" if annotation is type(None) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", written)


def _default(field: "dataclasses.Field[Any]") -> str | None:
    value = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
    if isinstance(value, Component):
        return repr({type(value).__module__.rpartition(".")[2]: {}})
    if dataclasses.is_dataclass(value):
        return "{}"  # the options within it have their own
    return None if value is dataclasses.MISSING else repr(value)


def notes_of(cls: type) -> dict[str, str]:
    """Option -> what its type is annotated with, in the class or the nearest base that says it."""
    notes: dict[str, str] = {}
    for owner in reversed(cls.__mro__):
        if dataclasses.is_dataclass(owner):
            hints = typing.get_type_hints(owner, include_extras=True).items()
            notes |= {name: " ".join(hint.__metadata__) for name, hint in hints if hasattr(hint, "__metadata__")}
    return notes


def _limits(cls: Any) -> tuple[str, ...]:
    required = {
        field.name: DRAFT
        for field in dataclasses.fields(cls)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    }
    return tuple(_limit(rule) for rule in cls(**required).rules())


def _limit(rule: Rule) -> str:
    if rule.one_of is not None:
        return f"{rule.signal}: one of {len(rule.one_of)} values"
    low = f" from {rule.at_least:,}" if rule.at_least != -inf else ""
    high = f" to {rule.at_most:,}" if rule.at_most != inf else ""
    where = f" ({', '.join(rule.only)})" if rule.only else ""
    return f"{rule.signal}{where}:{low}{high}"

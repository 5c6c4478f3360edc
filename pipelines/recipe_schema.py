"""The JSON Schema of recipes, from what verbs and components declare: an editor completes, explains and checks with it.

It is of draft 7, which `yaml-language-server` reads. It knows the components of this installation, those of installed
packages among them. What depends on several options, or on other stages, `winnow plan` checks.
"""

import dataclasses
import json
import typing
from collections.abc import Callable, Iterator, Mapping
from types import NoneType, UnionType
from typing import Any, Literal

from curation.core import catalog
from curation.core.component import Component
from curation.core.verbs import DEDUP, READ, VERBS, Verb
from curation.engine.recipe.options import DedupOptions, StageOptions
from curation.engine.recipe.recipe import VERSION, TopLevel
from pipelines.component_docs import components, notes_of

DRAFT = "http://json-schema.org/draft-07/schema#"
THOUSANDS = r"\d+(_\d+)+"  # 50_257 is a number to winnow, and text to an editor that reads YAML 1.2
QUANTILE = r"@\S+ p\d.*"  # in place of a limit
PRIMITIVES: Mapping[Any, Mapping[str, Any]] = {
    bool: {"type": "boolean"},
    int: {"type": ["integer", "string"], "pattern": f"^{THOUSANDS}$"},
    float: {"type": ["number", "string"], "pattern": f"^{THOUSANDS}$"},
    str: {"type": "string"},
    NoneType: {"type": "null"},
    Any: {},
}

Schema = dict[str, Any]


def recipe_schema() -> Schema:
    """The schema as JSON values; `definitions` has each component, called VERB.KEY."""
    definitions = {f"{verb}.{key}": _component(verb, key) for verb in VERBS.values() for key in catalog.known(verb)}
    for listing in components():
        name = f"{listing.verb}.{listing.verb.only or listing.key}"
        if name in definitions:
            definitions[name]["description"] = listing.sentence
    definitions["chain"] = {"type": "array", "items": {"$ref": "#/definitions/stage"}}
    definitions["stage"] = _stage()
    chain = {"$ref": "#/definitions/chain"}
    top = _settings(TopLevel)
    top["properties"] |= {
        "version": {"const": VERSION},
        "sources": {"type": "object", "minProperties": 1, "additionalProperties": chain},
        "joined": chain,
    }
    return {"$schema": DRAFT, "title": "A recipe of winnow", **top, "definitions": definitions}


def schema_text() -> str:
    """The schema as the text of a file."""
    return json.dumps(recipe_schema(), indent=1, ensure_ascii=False) + "\n"


def _stage() -> Schema:
    """One verb, and what may stand beside it."""
    verbs = {verb.name: _of_verb(verb) for verb in VERBS.values()}
    common = {field.name for field in dataclasses.fields(StageOptions)}
    options = _settings(DedupOptions)["properties"]
    return {
        "type": "object",
        "properties": verbs | options,
        "additionalProperties": False,
        "oneOf": [{"required": [name]} for name in verbs],
        "dependencies": {name: [DEDUP.name] for name in options if name not in common},
    }


def _of_verb(verb: Verb) -> Schema:
    """A verb's components by key with their options, or the key alone."""
    return _referred(verb, verb.only) if verb.only else _by_key(verb, several=verb.several)


def _by_key(verb: Verb, *, several: bool) -> Schema:
    keys = catalog.known(verb)
    return {
        "type": ["object", "string"],
        "pattern": f"^({'|'.join(keys)})$",
        "properties": {key: _referred(verb, key) for key in keys},
        "additionalProperties": False,
        "minProperties": 1,
        **({} if several else {"maxProperties": 1}),
    }


def _referred(verb: Verb, key: str) -> Schema:
    return {"$ref": f"#/definitions/{verb}.{key}"}


def _component(verb: Verb, key: str) -> Schema:
    cls = catalog.find(verb, key)
    schema = _settings(cls)
    options = schema["properties"]
    for name, held in cls.holds.items():
        options[name] |= _by_key(held, several=held.several or name in cls.holds_several)
    limits = {name for limit in cls.limits for name in limit.options()}
    for name in limits & options.keys():
        if "pattern" in options[name]:
            options[name]["pattern"] = f"^({THOUSANDS}|{QUANTILE})$"
    if "by_language" in options:
        options["by_language"]["type"] = ["object", "string"]  # languages, or the name of kits
    if verb is READ:
        schema["required"] = [name for name in schema["required"] if name != "paths"]  # `--input` can name them
    return schema | {"type": ["object", "null"]}


def _settings(cls: Any) -> Schema:
    """The mapping that a dataclass is made of."""
    notes = notes_of(cls)
    kinds = typing.get_type_hints(cls)
    fields = [field for field in dataclasses.fields(cls) if field.init]
    return {
        "type": "object",
        "properties": {
            field.name: {**_typed(kinds[field.name]), **_default(field), **_described(notes.get(field.name, ""))}
            for field in fields
        },
        "additionalProperties": False,
        "required": [field.name for field in fields if _made(field) is dataclasses.MISSING],
    }


def _described(note: str) -> Schema:
    return {"description": note} if note else {}


def _default(field: "dataclasses.Field[Any]") -> Schema:
    """Nothing where the default is no JSON value."""
    try:
        return {} if _made(field) is dataclasses.MISSING else {"default": json.loads(_json(_made(field)))}
    except (TypeError, ValueError):
        return {}


def _json(value: object) -> str:
    return json.dumps(dict(value) if isinstance(value, Mapping) else value, allow_nan=False)


def _made(field: "dataclasses.Field[Any]") -> Any:
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def _typed(kind: Any) -> Schema:
    """The schema of a value of the type."""
    if kind in PRIMITIVES:
        return dict(PRIMITIVES[kind])
    if dataclasses.is_dataclass(kind):
        return _settings(kind)
    origin = typing.get_origin(kind)
    arguments = typing.get_args(kind)
    shapes: Mapping[Any, Callable[[], Schema]] = {
        Literal: lambda: {"enum": list(arguments)},
        tuple: lambda: _sequence(arguments),
        UnionType: lambda: _union(arguments),
        typing.Union: lambda: _union(arguments),
    }
    if origin in shapes:
        return shapes[origin]()
    assert issubclass(origin, Mapping), f"an option of a recipe may be {kind}"
    values = arguments[1]
    held = isinstance(values, type) and issubclass(values, Component)  # `holds` says which
    return {"type": "object"} if held else {"type": "object", "additionalProperties": _typed(values)}


def _sequence(arguments: tuple[Any, ...]) -> Schema:
    if arguments[1:] == (...,):
        return {"type": "array", "items": _typed(arguments[0])}
    size = len(arguments)
    return {"type": "array", "items": [*map(_typed, arguments)], "minItems": size, "maxItems": size}


def _union(arguments: tuple[Any, ...]) -> Schema:
    """`X | None` as a list of types where it can be, which an editor explains better than `anyOf`."""
    others = [one for one in arguments if one is not NoneType]
    if len(others) == 1 and len(arguments) > 1:
        own = _typed(others[0])
        if "type" in own:
            return own | {"type": [*_types(own), "null"]}
    return {"anyOf": [*map(_typed, arguments)]}


def _types(schema: Schema) -> Iterator[str]:
    types = schema["type"]
    yield from [types] if isinstance(types, str) else types

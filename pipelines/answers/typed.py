"""The JSON Schema of a value from its type, as `print_json` writes values of that type."""

import dataclasses
import inspect
import sys
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Literal

from curation.core.verbs import Verb

Schema = dict[str, Any]

PRIMITIVES: Mapping[Any, Schema] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    str: {"type": "string"},
    float: {"anyOf": [{"type": "number"}, {"enum": ["inf", "-inf", "nan"]}]},
    NoneType: {"type": "null"},
    Any: {},
    object: {},
}
MAPPINGS = (dict, Mapping)
LISTS = (list, Sequence, Iterable, frozenset, set)


class Schemas:
    """Makes schemas; `definitions` has those of classes by name, to which others refer."""

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {}

    def of(self, kind: Any) -> Schema:
        """The schema of a type. What JSON has no form for is printed as text."""
        if kind in PRIMITIVES:
            return dict(PRIMITIVES[kind])
        origin = typing.get_origin(kind)
        arguments = typing.get_args(kind)
        shapes: Mapping[Any, Callable[[], Schema]] = {
            typing.Annotated: lambda: self.of(arguments[0]),
            typing.NotRequired: lambda: self.of(arguments[0]),
            typing.Required: lambda: self.of(arguments[0]),
            Literal: lambda: {"enum": list(arguments)},
            tuple: lambda: self._tuple(arguments),
            UnionType: lambda: {"anyOf": [*map(self.of, arguments)]},
            typing.Union: lambda: {"anyOf": [*map(self.of, arguments)]},
        }
        if origin in shapes:
            return shapes[origin]()
        if kind in MAPPINGS or origin in MAPPINGS:
            return {"type": "object", "additionalProperties": self.of(arguments[1] if arguments else Any)}
        if kind in LISTS or origin in LISTS or kind is tuple:
            return {"type": "array", "items": self.of(arguments[0] if arguments else Any)}
        if isinstance(kind, typing.TypeVar) or not isinstance(kind, type):
            return {}
        return self._class(kind)

    def _class(self, kind: Any) -> Schema:
        if typing.is_typeddict(kind):
            return self._referred(kind, kind.__required_keys__)
        if dataclasses.is_dataclass(kind) and kind is not Verb:  # which is printed as its name
            return self._referred(kind, frozenset(field.name for field in dataclasses.fields(kind)))
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            hints = _hints(kind)
            return self._tuple(tuple(hints[name] for name in kind._fields))
        return {"type": "string"}

    def _referred(self, kind: Any, required: Iterable[str]) -> Schema:
        name = str(kind.__name__)
        if name not in self.definitions:
            self.definitions[name] = {}  # while it is made, in case it holds itself
            properties = {key: self.of(value) for key, value in _hints(kind).items()}
            self.definitions[name] = {
                "description": " ".join((kind.__doc__ or "").split()),
                "type": "object",
                "properties": properties,
                "required": sorted(required),
                "additionalProperties": typing.is_typeddict(kind) and not kind.__total__,
            }
        return {"$ref": f"#/$defs/{name}"}

    def _tuple(self, arguments: tuple[Any, ...]) -> Schema:
        if not arguments or arguments[1:] == (...,):
            return {"type": "array", "items": self.of(arguments[0] if arguments else Any)}
        size = len(arguments)
        return {"type": "array", "prefixItems": [*map(self.of, arguments)], "minItems": size, "maxItems": size}


def _hints(kind: Any) -> dict[str, Any]:
    """Field -> type; Any where the type is named only for checkers."""
    if dataclasses.is_dataclass(kind):
        names = [field.name for field in dataclasses.fields(kind)]
    else:
        names = list(getattr(kind, "_fields", None) or typing.get_type_hints(kind))
    try:
        hints = typing.get_type_hints(kind, include_extras=True)
    except NameError:
        hints = {}
        for owner in reversed(kind.__mro__):
            for name, hint in inspect.get_annotations(owner).items():
                hints[name] = _evaluated(hint, owner)
    return {name: hints.get(name, Any) for name in names}


def _evaluated(hint: Any, owner: type) -> Any:
    try:
        return eval(hint, vars(sys.modules[owner.__module__])) if isinstance(hint, str) else hint
    except NameError:
        return Any

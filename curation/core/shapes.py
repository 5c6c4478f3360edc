"""Checks of plain values against a declared shape: the first part that does not fit is named by its place and type.

A shape is a dataclass, a NamedTuple, a TypedDict or a type of plain values: `list[int]`, `tuple[str, ...]`,
`dict[str, int]`, `Literal`, unions, `Any`. A TypedDict keeps keys that it does not declare; a dataclass or a NamedTuple
is built, and has no others. A class with a method `from_json` reads its own value. Whole numbers have 63 bits, and
numbers are finite unless the shape is `Number`.
"""

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeVar, Union, cast

from curation.core.shape_error import LARGEST, MISSING, ShapeError, shown

T = TypeVar("T")
Check = Callable[[Any], Any]

DEEPEST = 100  # levels of a value of any type
Count = Annotated[int, "at least 0"]
Positive = Annotated[int, "at least 1"]
Number = Annotated[float, "any"]  # also NaN and infinity
Within = Annotated[str, "a path"]  # of a file or folder, relative to a folder in which it lies
Moment = Annotated[str, "a time"]  # ISO 8601, with its offset from UTC


@dataclass(frozen=True)
class As:
    """The shape of an annotated type: `Annotated[dict[str, Any], As(Section)]` is read as a Section."""

    kind: Any


def checked(value: Any, kind: type[T]) -> T:
    """The plain value as `kind`. Raises ShapeError."""
    return cast(T, _check(cast(Hashable, kind))(value))


@lru_cache(maxsize=512)
def _check(kind: Any) -> Check:
    """The function that checks values of a kind."""
    origin = typing.get_origin(kind)
    arguments = typing.get_args(kind)
    if kind in PLAIN:
        return PLAIN[kind]
    if origin is Annotated:
        return _check(next((own.kind for own in arguments[1:] if isinstance(own, As)), arguments[0]))
    if origin in (typing.Required, typing.NotRequired):
        return _check(arguments[0])
    if hasattr(kind, "from_json"):
        return _read_by(kind)
    if origin is Literal:
        return _one_of(arguments)
    if origin in (Union, types.UnionType):
        return _any_of(arguments)
    if origin in (tuple, list, Sequence):
        return _fixed(arguments) if origin is tuple and arguments[1:] != (...,) else _listed(origin, arguments[0])
    if origin in (dict, Mapping):
        return _mapping(arguments[1])
    if typing.is_typeddict(kind):
        return _typed_dict(kind)
    return _built(kind)


def _plain(kind: type, expected: str) -> Check:
    def check(value: Any) -> Any:
        if type(value) is not kind:
            raise ShapeError(expected, value)
        return value

    return check


def _whole(value: Any) -> Any:
    if type(value) is not int or not -LARGEST <= value <= LARGEST:
        raise ShapeError("a whole number", value)
    return value


def _count(value: Any) -> Any:
    if type(value) is not int or not 0 <= value <= LARGEST:
        raise ShapeError("a whole number of 0 or more", value)
    return value


def _positive(value: Any) -> Any:
    if type(value) is not int or not 1 <= value <= LARGEST:
        raise ShapeError("a whole number above 0", value)
    return value


def _number(value: Any) -> Any:
    if type(value) is not float and type(value) is not int:
        raise ShapeError("a number", value)
    return _finite_whole(value) if type(value) is int else value


def _finite_whole(value: int) -> int:
    if not -LARGEST <= value <= LARGEST:
        raise ShapeError("a number", value)
    return value


def _finite(value: Any) -> Any:
    if type(value) is float and not math.isfinite(value):
        raise ShapeError("a finite number", value)
    return _number(value)


def _text(value: Any) -> Any:
    if type(value) is not str:
        raise ShapeError("text", value)
    return value


def _within(value: Any) -> Any:
    if not _text(value) or value.startswith("/") or "://" in value or "\0" in value or ".." in value.split("/"):
        raise ShapeError("the name of a file or folder in this folder", value)
    return value


def _moment(value: Any) -> Any:
    try:
        if datetime.fromisoformat(_text(value)).tzinfo:
            return value
    except ValueError:
        pass
    raise ShapeError("a time such as 2026-11-21T10:00:00+00:00", value)


def _anything(value: Any, level: int = 0) -> Any:
    if isinstance(value, dict | list):
        if level == DEEPEST:
            raise ShapeError(f"at most {DEEPEST} levels", value)
        for inner in value.values() if isinstance(value, dict) else value:
            if isinstance(inner, dict | list):
                _anything(inner, level + 1)
    return value


PLAIN: dict[Any, Check] = {
    Any: _anything,
    object: _anything,
    str: _text,
    int: _whole,
    float: _finite,
    Count: _count,
    Positive: _positive,
    Number: _number,
    Within: _within,
    Moment: _moment,
    bool: _plain(bool, "true or false"),
    type(None): _plain(type(None), "null"),
    dict[str, Any]: lambda value: _anything(_mapping_of(value)),
}


def _mapping_of(value: Any) -> dict[str, Any]:
    if type(value) is not dict:
        raise ShapeError("a mapping", value)
    return value


def _list_of(value: Any) -> list[Any]:
    if type(value) is not list:
        raise ShapeError("a list", value)
    return value


def _read_by(kind: Any) -> Check:
    def check(value: Any) -> Any:
        try:
            return kind.from_json(value)
        except ValueError as error:
            raise ShapeError(str(error), value) from error

    return check


def _one_of(values: Sequence[Any]) -> Check:
    def check(value: Any) -> Any:
        if type(value) not in (str, int, bool) or value not in values:
            raise ShapeError(" or ".join(map(repr, values)), value)
        return value

    return check


def _any_of(kinds: Sequence[Any]) -> Check:
    checks = [_check(kind) for kind in kinds]

    def check(value: Any) -> Any:
        errors = list[ShapeError]()
        for one in checks:
            try:
                return one(value)
            except ShapeError as error:
                errors.append(error)
        deepest = max(errors, key=lambda error: len(error.steps))
        if deepest.steps:
            raise deepest
        raise ShapeError(" or ".join(dict.fromkeys(map(_expected, errors))), value)

    return check


def _expected(error: ShapeError) -> str:
    return str(error.args[0])


def _listed(kind: Any, item: Any) -> Check:
    check_item = _check(item)
    make = tuple if kind is tuple else list
    return lambda value: make(_inside(check_item, inner, place) for place, inner in enumerate(_list_of(value)))


def _fixed(items: Sequence[Any]) -> Check:
    checks = [_check(item) for item in items]

    def check(value: Any) -> Any:
        if len(_list_of(value)) != len(checks):
            raise ShapeError(f"a list of {len(checks)}", value)
        return tuple(_inside(one, inner, place) for place, (one, inner) in enumerate(zip(checks, value, strict=True)))

    return check


def _mapping(item: Any) -> Check:
    check_item = _check(item)
    return lambda value: {key: _inside(check_item, inner, key) for key, inner in _mapping_of(value).items()}


def _inside(check: Check, value: Any, step: str | int) -> Any:
    try:
        return check(value)
    except ShapeError as error:
        error.steps.append(step)
        raise


def _typed_dict(kind: Any) -> Check:
    checks = {name: _check(own) for name, own in typing.get_type_hints(kind, include_extras=True).items()}
    required = sorted(kind.__required_keys__)

    def check(value: Any) -> Any:
        _check_given(_mapping_of(value), required)
        made = dict(value)
        for name, inner in value.items():
            if name in checks:
                made[name] = _inside(checks[name], inner, name)
        return made

    return check


def _built(kind: Any) -> Check:
    """Makes a dataclass or a NamedTuple of a mapping of its fields."""
    hints = typing.get_type_hints(kind, include_extras=True)
    if dataclasses.is_dataclass(kind):
        fields = [field for field in dataclasses.fields(kind) if field.init]
        names = [field.name for field in fields]
        required = [field.name for field in fields if field.default is field.default_factory is dataclasses.MISSING]
    else:
        names = list(kind._fields)
        required = [name for name in names if name not in kind._field_defaults]
    checks = {name: _check(hints[name]) for name in names}

    def check(value: Any) -> Any:
        _check_given(_mapping_of(value), required)
        for name in value:
            if name not in checks:
                raise ShapeError(f"no key {shown(name)}", value)
        made = {name: _inside(checks[name], inner, name) for name, inner in value.items()}
        try:
            return kind(**made)
        except ValueError as error:
            raise ShapeError(f"{kind.__name__}: {error}", value) from error

    return check


def _check_given(value: Mapping[str, Any], required: Sequence[str]) -> None:
    for name in required:
        if name not in value:
            error = ShapeError("a value", MISSING)
            error.steps.append(name)
            raise error

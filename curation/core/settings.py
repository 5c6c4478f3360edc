"""Turns YAML (or JSON) into frozen dataclasses and reports every mistake with its file and line.

PyYAML keeps the position of each node; pydantic checks each value against the field's type. Dataclasses stay plain.
Both recipes and training configs are read here.
"""

import dataclasses
import json
import re
import reprlib
import types
import typing
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar, cast

import yaml
from pydantic import TypeAdapter, ValidationError

from curation.core.close_names import nearest
from curation.core.errors import RecipeError
from curation.core.storage import MAX_TEXT

T = TypeVar("T")
Path = tuple[str | int, ...]

MAX_VALUES = 100_000  # of a file with its aliases expanded: ten lines of aliases can stand for billions of values
MAX_DIGITS = 100  # characters of a number
LARGEST = 2**63 - 1  # of a whole number in Arrow and in the files of a run
SHOWN = 80  # characters of a wrong value in a message

EXPECTED = {  # pydantic's type of error -> what was expected
    "bool_type": "true or false",
    "dict_type": "`name: value` lines",
    "mapping_type": "`name: value` lines",
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "list_type": "a list",
    "tuple_type": "a list",
    "string_type": "text",
}


@dataclass(frozen=True)
class YamlFile:
    """A parsed YAML file: `data`, and the line (from 1) of each key or item. `lines` is empty for values that are not
    from a file; errors then begin with the name alone."""

    name: str
    data: Any
    lines: Mapping[Path, int]

    def error(self, path: Path, message: str, option: str = "") -> RecipeError:
        """A RecipeError that begins with file, line (if known) and dotted path. `option`: a key in the mapping at
        `path` that the message names; if the file has it, the line is that of the key."""
        known = next((at for at in ((*path, option), *_upwards(path)) if at in self.lines), ())
        line = f":{self.lines.get(known, 1)}" if self.lines else ""
        dotted = ".".join(str(step) if len(str(step)) <= SHOWN else f"{str(step)[:SHOWN]}…" for step in path)
        return RecipeError(f"{self.name}{line}: {dotted + ': ' if dotted else ''}{message}")


def _upwards(path: Path) -> Iterator[Path]:
    return (path[:length] for length in range(len(path), -1, -1))


def load_yaml(text: str, name: str) -> YamlFile:
    """Raises RecipeError for text that is not YAML, is no mapping at the top level, repeats a key, has more than
    MAX_VALUES values or MAX_TEXT characters, or contains itself through an alias."""
    if len(text) > MAX_TEXT:
        raise RecipeError(f"{name} has more than {MAX_TEXT >> 20} MiB; name many inputs by a pattern")
    try:
        root = yaml.compose(text, Loader=_Loader)
        if not isinstance(root, yaml.MappingNode):
            raise RecipeError(f"{name}:1: expected `key: value` lines at the top level")
        lines: dict[Path, int] = {}
        _note_lines(root, (), lines, name)
        return YamlFile(name, _Constructor().construct_document(root), lines)
    except yaml.MarkedYAMLError as error:
        kind = "" if isinstance(error, yaml.constructor.ConstructorError) else "not valid YAML: "
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise RecipeError(f"{name}:{line}: {kind}{error.problem}") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise RecipeError(f"{name}:{line}: not valid YAML: the character {chr(error.character)!a}") from error
    except RecursionError as error:
        raise RecipeError(
            f"{name}:1: values are nested too deep, or an alias (*name) is inside the value that it names; write it out"
        ) from error


class _Loader(yaml.SafeLoader):
    """Reads 3e-4 as a number, like YAML 1.2 and JSON; PyYAML's YAML 1.1 reads it as text. Stops at MAX_VALUES."""

    _values = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self._values += 1
        if self._values > 2 * MAX_VALUES:  # keys included
            problem = f"the file has over {MAX_VALUES:,} values"
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.constructor.ConstructorError(None, None, problem, mark)
        return super().compose_node(parent, index)


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?(\d++\.?\d*+|\.\d++)[eE][-+]?\d+$"), list("-+.0123456789")
)


_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")


class _Constructor(yaml.constructor.SafeConstructor):
    """Reports the line of a value that cannot be read, such as the date 2024-13-45, or that is above LARGEST."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        if node.tag in _NUMBERS and len(node.value) > MAX_DIGITS:
            problem = f"a number of {len(node.value):,} characters"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        try:
            value = super().construct_object(node, deep)
        except ValueError as error:
            problem = f"{reprlib.repr(node.value)} cannot be read: {error}"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from error
        if isinstance(value, int) and abs(value) > LARGEST:
            problem = "a whole number that needs more than 63 bits"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return value


def _note_lines(node: yaml.Node, path: Path, lines: dict[Path, int], name: str) -> None:
    line = node.start_mark.line + 1
    if len(lines) > MAX_VALUES:
        raise RecipeError(f"{name}:{line}: with its aliases expanded, the file has over {MAX_VALUES:,} values")
    lines.setdefault(path, line)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            line = key.start_mark.line + 1
            inner = (*path, key.value)
            if key.tag == "tag:yaml.org,2002:merge":
                raise RecipeError(f"{name}:{line}: merging keys with << is not supported; write them out")
            if not isinstance(key.value, str):
                raise RecipeError(f"{name}:{line}: a key is not a word")
            if key.tag != "tag:yaml.org,2002:str":
                raise RecipeError(f"{name}:{line}: a key {_shown(key.value)} is not text; put it in quotes")
            if inner in lines:
                raise RecipeError(f"{name}:{line}: {_shown(key.value)} is given twice")
            lines[inner] = line
            _note_lines(value, inner, lines, name)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _note_lines(item, (*path, index), lines, name)


def build(
    cls: type[T],
    file: YamlFile,
    path: Path = (),
    data: Any = dataclasses.MISSING,
    made: Mapping[str, Any] = types.MappingProxyType({}),
) -> T:
    """An instance of dataclass `cls` from the mapping at `path`, or from `data` in its place, and from options whose
    values are `made` already.

    Raises RecipeError for an unknown key (naming the nearest known one), a missing key, a value of the wrong type, or a
    ValueError from the class's own checks.
    """
    mapping = _at(file.data, path) if data is dataclasses.MISSING else data
    mapping = {} if mapping is None else mapping
    if not isinstance(mapping, Mapping):
        shown = "something else" if getattr(cls, "hidden", False) else _shown(mapping)
        raise file.error(path, f"expected `option: value` lines, got {shown}")
    fields = {f.name: f for f in dataclasses.fields(cls) if f.init}  # type: ignore[arg-type]
    for key in mapping:
        if key not in fields:
            raise file.error((*path, key), f"unknown option {_shown(key)}{nearest(str(key), fields)}")
    missing = [n for n, f in fields.items() if _required(f) and n not in mapping and n not in made]
    if missing:
        raise file.error(path, f"{', '.join(missing)} must be given")
    hints = _hints(cast(Hashable, cls))
    values = {key: _value(hints[key], file, (*path, key), value) for key, value in mapping.items()}
    try:
        return cls(**values, **made)
    except ValueError as error:
        raise file.error(path, str(error), str(error).partition(" ")[0]) from error


def _value(kind: Any, file: YamlFile, path: Path, value: Any) -> Any:
    kind = kind if value is None else _held(kind, value)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return build(kind, file, path, value)
    item = _item(kind)
    if item is not None and isinstance(value, list):
        return tuple(build(item, file, (*path, number), entry) for number, entry in enumerate(value))
    try:
        # JSON's strictness suits YAML: lists become tuples, whole numbers floats, but "5" is not a number.
        return _adapter(kind).validate_json(json.dumps(value, default=str), strict=True)
    except ValidationError as error:
        inner, message = _wrong(error, value)
        raise file.error((*path, *inner), message) from error


def _held(kind: Any, value: Any) -> Any:
    """The dataclass in `Dataclass | None`, or for a mapping that in a wider union; any other type unchanged."""
    choices = typing.get_args(kind) if isinstance(kind, types.UnionType) else ()
    held = [choice for choice in choices if dataclasses.is_dataclass(choice)]
    return held[0] if len(held) == 1 and (isinstance(value, Mapping) or {*choices} == {*held, type(None)}) else kind


def _item(kind: Any) -> Any:
    """The dataclass in `tuple[Dataclass, ...]`; None for any other type."""
    choices = typing.get_args(kind)
    return choices[0] if choices[1:] == (...,) and dataclasses.is_dataclass(choices[0]) else None


def _wrong(error: ValidationError, value: Any) -> tuple[Path, str]:
    """Path within the value to what has the wrong type, and a message. For a union of types, the one that fits best."""
    expected: dict[Path, list[str]] = {}
    for detail in error.errors():
        place: list[str | int] = []
        at: Any = value
        for step in detail["loc"]:  # names of types that were tried are among the steps
            inside = at if isinstance(at, Mapping) else dict(enumerate(at)) if isinstance(at, list | tuple) else {}
            if step in inside:
                place.append(step)
                at = inside[step]
        literal = detail["type"] == "literal_error"
        kind = detail.get("ctx", {}).get("expected") if literal else EXPECTED.get(detail["type"])
        expected.setdefault(tuple(place), []).append(str(kind or detail["msg"]))
    path = max(expected, key=len)
    kinds = expected[path]
    wrong = _at(value, path)
    hint = ""
    if kinds == ["text"] and isinstance(wrong, int | float):
        read_so = " (YAML reads no, off, yes and on so)" if isinstance(wrong, bool) else ""
        hint = f"{read_so}: put it in quotes"
    if kinds == ["a list"] and isinstance(wrong, str):
        hint = f": write [{wrong!r}]"
    return path, f"expected {' or '.join(dict.fromkeys(kinds))}, got {_shown(wrong)}{hint}"


def _shown(value: Any) -> str:
    shown = json.dumps(value) if value is None or isinstance(value, bool) else repr(value)
    return shown if len(shown) <= SHOWN else shown[:SHOWN] + "…"


def typed(cls: type, name: str, value: Any, where: str) -> Any:
    """The value for the field `name` of the dataclass `cls`. Raises RecipeError if it has the wrong type."""
    return _value(_hints(cast(Hashable, cls))[name], YamlFile(where, None, {}), (), value)


@lru_cache(maxsize=512)
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


@lru_cache(maxsize=128)
def _hints(cls: Any) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def _required(field: "dataclasses.Field[Any]") -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _at(data: Any, path: Path) -> Any:
    for step in path:
        data = data[step]
    return data

"""Turns YAML (or JSON) into frozen dataclasses and names every mistake with its file and line.

PyYAML keeps the position of each node; pydantic checks each value against the field's type. A dataclass stays a plain
dataclass: it is built here, not changed. Recipes and training configs are both read here.
"""

import dataclasses
import difflib
import json
import re
import reprlib
import typing
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar, cast

import yaml
from pydantic import TypeAdapter, ValidationError

from curation.core.errors import RecipeError

T = TypeVar("T")
Path = tuple[str | int, ...]

MAX_VALUES = 100_000  # of a file, where an alias counts as all that it stands for: ten lines of them can name billions
LARGEST = 2**63 - 1  # what Arrow and the files of a run hold
SHOWN = 80  # characters of a wrong value in a message

EXPECTED = {  # by pydantic's name of the mistake
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
    """A parsed YAML file: `data`, and the line (from 1) of each key or item. Without lines it stands for values from
    elsewhere, and errors begin with the name alone."""

    name: str
    data: Any
    lines: Mapping[Path, int]

    def error(self, path: Path, message: str, option: str = "") -> RecipeError:
        """A RecipeError that begins with file, line (where lines are known) and dotted path of the culprit. `option`:
        what the message itself names of the mapping at `path`; the line is its own where the file has it."""
        known = next((at for at in ((*path, option), *_upwards(path)) if at in self.lines), ())
        line = f":{self.lines.get(known, 1)}" if self.lines else ""
        dotted = ".".join(str(part) for part in path)
        return RecipeError(f"{self.name}{line}: {dotted + ': ' if dotted else ''}{message}")


def _upwards(path: Path) -> Iterator[Path]:
    return (path[:length] for length in range(len(path), -1, -1))


def load_yaml(text: str, name: str) -> YamlFile:
    """Raises RecipeError for text that is not YAML, has a key twice, holds more than `MAX_VALUES` or holds itself, or
    is not a mapping at the top."""
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
            f"{name}:1: values stand too deep in each other, or an alias (*name) stands in what it names: write it out"
        ) from error


class _Loader(yaml.SafeLoader):
    """Reads 3e-4 as a number, as YAML 1.2 and JSON do; for PyYAML's YAML 1.1 it is text."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$"), list("-+.0123456789")
)


class _Constructor(yaml.constructor.SafeConstructor):
    """Names the line of a value that cannot be read, such as the date 2024-13-45, or that no file of a run can hold."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
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
        raise RecipeError(f"{name}:{line}: with what its aliases stand for, the file has over {MAX_VALUES:,} values")
    lines.setdefault(path, line)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            line, inner = key.start_mark.line + 1, (*path, key.value)
            if key.tag == "tag:yaml.org,2002:merge":
                raise RecipeError(f"{name}:{line}: << merges no keys here; write them out")
            if not isinstance(key.value, str):
                raise RecipeError(f"{name}:{line}: a key is not a word")
            if key.tag != "tag:yaml.org,2002:str":
                raise RecipeError(f"{name}:{line}: a key {key.value!r} is not text; put it in quotes")
            if inner in lines:
                raise RecipeError(f"{name}:{line}: {key.value!r} is given twice")
            lines[inner] = line
            _note_lines(value, inner, lines, name)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _note_lines(item, (*path, index), lines, name)


def nearest(word: str, known: Iterable[str]) -> str:
    """ " (did you mean 'x'?)" for the closest known word, else a list of the known ones."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known: {', '.join(names)}" if names else ""


def build(cls: type[T], file: YamlFile, path: Path = (), data: Any = dataclasses.MISSING) -> T:
    """An instance of dataclass `cls` from the mapping at `path` (or from `data`, which stands there).

    Raises RecipeError for an unknown key (naming the nearest known one), a missing key, a value of the wrong type, or a
    ValueError from the class's own checks.
    """
    mapping = _at(file.data, path) if data is dataclasses.MISSING else data
    mapping = {} if mapping is None else mapping
    if not isinstance(mapping, Mapping):
        raise file.error(path, f"expected `option: value` lines, got {_shown(mapping)}")
    fields = {f.name: f for f in dataclasses.fields(cls) if f.init}  # type: ignore[arg-type]
    for key in mapping:
        if key not in fields:
            raise file.error((*path, key), f"unknown option {key!r}{nearest(str(key), fields)}")
    missing = [n for n, f in fields.items() if _required(f) and n not in mapping]
    if missing:
        raise file.error(path, f"{', '.join(missing)} must be given")
    hints = _hints(cast(Hashable, cls))
    values = {key: _value(hints[key], file, (*path, key), value) for key, value in mapping.items()}
    try:
        return cls(**values)
    except ValueError as error:
        raise file.error(path, str(error), str(error).partition(" ")[0]) from error


def _value(kind: Any, file: YamlFile, path: Path, value: Any) -> Any:
    if value is not None:
        kind = _held(kind)
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


def _held(kind: Any) -> Any:
    """The dataclass of `Dataclass | None`, any other type as it is."""
    choices = typing.get_args(kind)
    others = [choice for choice in choices if choice is not type(None)]
    return others[0] if len(others) < len(choices) == 2 and dataclasses.is_dataclass(others[0]) else kind


def _item(kind: Any) -> Any:
    """The dataclass of `tuple[Dataclass, ...]`, None of any other type."""
    choices = typing.get_args(kind)
    return choices[0] if choices[1:] == (...,) and dataclasses.is_dataclass(choices[0]) else None


def _wrong(error: ValidationError, value: Any) -> tuple[Path, str]:
    """Path of the part of the value that has the wrong type, and a message. Of a choice of types, the one that fits
    best."""
    expected: dict[Path, list[str]] = {}
    for detail in error.errors():
        place: list[str | int] = []
        at: Any = value
        for part in detail["loc"]:  # with the names of the types that were tried
            inside = at if isinstance(at, Mapping) else dict(enumerate(at)) if isinstance(at, list | tuple) else {}
            if part in inside:
                place.append(part)
                at = inside[part]
        literal = detail["type"] == "literal_error"
        kind = detail.get("ctx", {}).get("expected") if literal else EXPECTED.get(detail["type"])
        expected.setdefault(tuple(place), []).append(str(kind or detail["msg"]))
    path = max(expected, key=len)
    kinds, wrong, hint = expected[path], _at(value, path), ""
    if kinds == ["text"] and isinstance(wrong, int | float):
        read_so = ", as which YAML reads no, off, yes and on" if isinstance(wrong, bool) else ""
        hint = f"{read_so}: put it in quotes"
    if kinds == ["a list"] and isinstance(wrong, str):
        hint = f": write [{wrong}]"
    return path, f"expected {' or '.join(dict.fromkeys(kinds))}, got {_shown(wrong)}{hint}"


def _shown(value: Any) -> str:
    shown = json.dumps(value) if value is None or isinstance(value, bool) else repr(value)
    return shown if len(shown) <= SHOWN else shown[:SHOWN] + "…"


def typed(cls: type, name: str, value: Any, where: str) -> Any:
    """The value for the field `name` of the dataclass `cls`. Raises RecipeError where it has the wrong type."""
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
    for part in path:
        data = data[part]
    return data

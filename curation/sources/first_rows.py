"""The first rows of files of JSON, and whether they have the fields that a recipe names: a wrong name is refused before
the run starts.

A file whose rows have no text is refused. A file may lack one of the other fields, so such a field is refused only if
none of the inspected files has it, or if none of its values has the type of the document's column.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from curation.core.close_names import close_names
from curation.core.credentials import masked
from curation.core.errors import InputError, WinnowError
from curation.core.first_look import looked_at
from curation.core.names import whole_text
from curation.core.wording import counted, listed
from curation.sources.field_values import alternatives, joined, parsed
from curation.sources.json_blocks import json_start, lines_of
from curation.sources.json_form import BOM, SAMPLE, check_encoding, check_rows, has_lines
from curation.sources.json_rows import converted, objects_in
from curation.sources.json_values import OBJECT, ValueScan
from curation.sources.lines import MAX_DEPTH, LineBlock, line_shapes

ROWS = 1_000  # of a file, that are looked at: a field may be in few of them
SHOWN = 12  # names of fields
LONGEST = 1_000  # characters of a field's dotted name
_NOTHING = b"[], \t\r\n"  # all that a file without rows holds: it may be an empty array


class FirstRows(NamedTuple):
    """Rows of a file that are JSON objects, as Python's parser reads them."""

    path: str
    rows: Sequence[Mapping[str, Any]]


def first_rows(path: str, text: str) -> FirstRows:
    """Those in the first SAMPLE bytes, at most ROWS. Raises InputError for a file that is missing or has no rows of
    JSON; `text` is the recipe's field."""
    start = _start(path)
    check_encoding(start, path)
    check_rows(start, path, text)
    objects = rows_in(start)
    if start.removeprefix(BOM).strip(_NOTHING) and len(start) < SAMPLE and not objects:
        raise InputError(
            f"{masked(path)} has no row that is a JSON object: it begins with {start.lstrip()[:20]!r}; leave it out, "
            "or read it with the source of its form (`winnow inspect FILE` says which)"
        )
    return FirstRows(path, objects)


def _start(path: str) -> bytes:
    """The beginning of a file. Stores raise errors of their own libraries where a read fails."""
    try:
        return json_start(path)
    except WinnowError:
        raise
    except Exception as error:
        raise InputError(f"{path} cannot be read ({error}); try again, or leave the file out") from error


def readable_rows(path: str, text: str) -> FirstRows:
    """As `first_rows`, and none of a file that cannot be read."""
    try:
        return looked_at(path, partial(first_rows, path, text))
    except InputError:
        return FirstRows(path, ())


def rows_in(start: bytes) -> Sequence[Mapping[str, Any]]:
    """The objects in a file's beginning, at most ROWS."""
    rows: list[Mapping[str, Any]] = []
    for row in _values(start):
        rows += _objects(row)
        if len(rows) >= ROWS:
            break
    return rows[:ROWS]


def _objects(row: bytes) -> list[Mapping[str, Any]]:
    """The objects of a row, which may hold several; none where it is not JSON, or nested deeper than `jsonl` reads."""
    _, depth, _ = line_shapes(np.frombuffer(row, np.uint8), np.zeros(1, np.int64), np.full(1, len(row)))
    if depth[0] > MAX_DEPTH:
        return []
    try:
        return [one for _, one in objects_in(row.decode("utf-8", "replace")) or ()]
    except RecursionError:
        return []


def _values(start: bytes) -> Iterator[bytes]:
    """The rows in a file's beginning."""
    if has_lines(start):
        block = lines_of(LineBlock(start if len(start) < SAMPLE else start[: start.rfind(b"\n") + 1], 0))
        yield from (block.data[a:b] for a, b in zip(block.starts.tolist(), block.stops.tolist(), strict=True))
        return
    found = ValueScan().feed(np.frombuffer(start, np.uint8), 0)
    yield from (start[a:b] for a, b, kind in zip(*(column.tolist() for column in found), strict=True) if kind == OBJECT)


def text_length(rows: Sequence[Mapping[str, Any]], field: str) -> int:
    """Characters of a field's texts in these rows."""
    values = [value for row in rows for value in _values_at(row, field.split("."))]
    return sum(len(value) for value in values if isinstance(value, str))


def check_named(files: Sequence[FirstRows], named: Mapping[str, str]) -> None:
    """Raises InputError, which names a file and what its rows have, for a field (document column -> field) that the
    rows lack, or that holds nothing of its kind."""
    for file in files:
        if file.rows:
            _check_field([file], "text", named["text"])
    check_any(files, named)


def check_any(files: Sequence[FirstRows], named: Mapping[str, str]) -> None:
    """As `check_named`, where a file may lack any field."""
    filled = [file for file in files if file.rows]
    for name in named if filled else ():
        _check_field(filled, name, named[name])


def _check_field(files: Sequence[FirstRows], name: str, field: str) -> None:
    rows = [row for file in files for row in file.rows]
    found = [value for row in rows for one in alternatives(field) for value in _values_at(row, one.split("."))]
    path = masked(files[0].path)
    if not found:
        names = list(dict.fromkeys(key for row in rows for key, _ in field_types(row)))
        near = close_names(field, names)
        near = near or ([max(names, key=lambda key: text_length(rows, key))] if name == "text" and names else [])
        raise InputError(
            f"{path} has no field {field!r}, which the recipe names as {name}, in its first "
            f"{counted(len(rows), 'row')}; they have {listed(names, SHOWN) or 'none'}"
            f"{f': write `{name}: {near[0]}` for that one' if near else ', so name one of them, or leave it out'}"
        )
    stated = [value for value in found if value is not None]
    if stated and all(_as_column(name, value) is None for value in stated):
        raise holds_nothing(name, field, path, len(rows), stated[0])


def holds_nothing(name: str, field: str, path: str, rows: int, shown: Any) -> InputError:
    """For a field that has values in the first rows, such as `shown`, and none that fits its document column."""
    kind = "date (ISO 8601, or seconds since 1970)" if name == "crawled_at" else "text"
    return InputError(
        f"the field {field!r} of {path}, which the recipe names as {name}, holds no {kind} in its first "
        f"{counted(rows, 'row')}, but such as {str(shown)[:60]!r}; name another field, or leave it out"
    )


def _as_column(name: str, value: Any) -> str | int | None:
    return converted(name, joined(name, value) if isinstance(value, list) else value)


def _values_at(row: Any, parts: Sequence[str]) -> Iterator[Any]:
    """The value at a path of names, also where it is null; nothing where there is no such field."""
    for part in parts:
        if isinstance(row, str):
            row = parsed(row)
        if not isinstance(row, dict) or part not in row:
            return
        row = row[part]
    yield row


def field_types(row: Mapping[str, Any], prefix: str = "", depth: int = 1) -> Iterator[tuple[str, str]]:
    """The dotted names in a row with the types of their values, also within a string of JSON; nulls, names of more than
    `LONGEST` characters and what lies deeper than `MAX_DEPTH` are left out."""
    for name, value in row.items():
        if len(prefix) + len(name) > LONGEST:
            continue
        within = parsed(value) if isinstance(value, str) and value.startswith("{") else value
        if isinstance(within, dict):
            if depth < MAX_DEPTH:
                yield from field_types(within, f"{prefix}{name}.", depth + 1)
        elif value is not None:
            yield whole_text(prefix + name), type(value).__name__.replace("Digits", "int")

"""Parses a block of JSON rows into columns: all at once if possible, otherwise row by row, with the same result.

At once means by pyarrow, with the types that the first line has for the id and the date. A block with a bad line or a
value of another type is parsed line by line, so that no line's result depends on its neighbours. For that, what pyarrow
takes must mean the same to Python's parser: integers keep their digits, which Python refuses to convert if they are
many, and a bare `Inf` never reaches pyarrow. What a field may be beside one value is in `field_values`.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from curation.core.input_rows import NOT_JSON
from curation.core.names import whole_text
from curation.sources.dates import FIRST_SECOND, LAST_SECOND, MOMENT, dates, parse_date
from curation.sources.field_values import (
    DECODER,
    NUMBERS,
    Digits,
    Tree,
    alternatives,
    joined,
    joined_lists,
    value_at,
    within_json,
)
from curation.sources.inflate import OnFault
from curation.sources.json_values import JsonBlock
from curation.sources.lines import MAX_DEPTH, MAX_VALUES, line_shapes
from curation.text.kernels.buffers import Indices

_BETWEEN = re.compile(r"[\s,\[\]]*")  # what may stand between objects that share a line


class ParsedRows(NamedTuple):
    """N rows that are objects: where each begins in its file, int64[N], and for each name of a document column its
    values [N]. `invalid`: how many rows of the block had bytes that are not UTF-8."""

    offsets: Indices
    values: dict[str, pa.Array]
    invalid: int = 0


def parse_rows(block: JsonBlock, fields: Mapping[str, str], on_bad: OnFault) -> ParsedRows:
    """The rows of a block and, for each name in `fields` (name -> dotted path), their values. `on_bad` gets the offset
    of every row that is no JSON object.

    text is large_string, crawled_at `dates.MOMENT`, all others string; an integer id becomes its decimal digits.
    """
    data, starts, stops, offsets, _ = block
    if not len(starts):
        return ParsedRows(offsets, {})
    invalid = 0
    if not _is_utf8(data):
        data, starts, stops, invalid = _as_utf8(data, starts, stops)
    values, depth, sole = line_shapes(np.frombuffer(data, np.uint8), starts, stops)
    crowded = (values > MAX_VALUES) & (stops - starts > 2 * MAX_VALUES)
    deep = (depth > MAX_DEPTH) & ~crowded
    if (sole & ~crowded & ~deep).all():
        table = _parse_block(data, data[starts[0] : stops[0]], len(starts), fields)
        if table is not None:
            return ParsedRows(offsets, {name: _column(table, name, field) for name, field in fields.items()}, invalid)
    for refused, error in (
        (crowded, f"more than {MAX_VALUES} values in a row"),
        (deep, f"nested over {MAX_DEPTH} deep"),
    ):
        for offset in offsets[refused].tolist():
            on_bad(offset, error)
    sound = ~(crowded | deep)
    return _parse_each(JsonBlock(data, starts[sound], stops[sound], offsets[sound]), fields, on_bad, invalid)


def _as_utf8(data: bytes, starts: Indices, stops: Indices) -> tuple[bytes, Indices, Indices, int]:
    """The rows alone, a line each, with U+FFFD for invalid bytes, and how many had some."""
    rows = []
    invalid = 0
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        row = data[start:stop]
        try:
            row.decode()
        except UnicodeDecodeError:
            row = row.decode("utf-8", "replace").encode()
            invalid += 1
        rows.append(row)
    ends = np.cumsum(np.array([len(row) + 1 for row in rows], np.int64)) - 1
    return b"\n".join(rows), np.concatenate([np.zeros(1, np.int64), ends[:-1] + 1]), ends, invalid


def _is_utf8(data: bytes) -> bool:
    ends = pa.array([0, len(data)], pa.int64()).buffers()[1]
    try:
        pa.LargeStringArray.from_buffers(1, ends, pa.py_buffer(data)).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _parse_block(data: bytes, first: bytes, rows: int, fields: Mapping[str, str]) -> pa.Table | None:
    """None if the block does not fit the types of its first line."""
    schema = _schema(first, fields)
    if schema is None:
        return None
    try:
        table = pj.read_json(
            pa.BufferReader(data),
            read_options=pj.ReadOptions(block_size=len(data) + 1, use_threads=False),
            parse_options=pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
        )
    except (pa.ArrowInvalid, UnicodeDecodeError):  # the latter while pyarrow builds its message
        return None
    return table if table.num_rows == rows else None


def _schema(first: bytes, fields: Mapping[str, str]) -> pa.Schema | None:
    try:
        row = DECODER.decode(first.decode())
    except ValueError:
        return None
    tree: Tree = {}
    for name, field in fields.items():
        for one in alternatives(field):
            place, value = _reached(row, one.split("."))
            if not _plant(tree, place, _kind(name, value)):
                return None
    return pa.schema(_grow(tree))


def _reached(row: Any, parts: list[str]) -> tuple[list[str], Any]:
    """How far the path leads before a string that may hold JSON, and the value there."""
    for depth, part in enumerate(parts):
        if isinstance(row, str):
            return parts[:depth], row
        row = row.get(part) if isinstance(row, dict) else None
    return parts, row


def _kind(name: str, value: Any) -> pa.DataType:
    if isinstance(value, list):
        return pa.list_(pa.string())
    if name in NUMBERS and type(value) is Digits:
        return pa.int64()
    if name == "crawled_at" and type(value) in (Digits, float):
        return pa.float64()
    return pa.large_string()


def _plant(tree: Tree, path: list[str], kind: pa.DataType) -> bool:
    """False if two columns need one field in two types."""
    for part in path[:-1]:
        branch = tree.setdefault(part, {})
        if not isinstance(branch, dict):
            return False
        tree = branch
    return bool(tree.setdefault(path[-1], kind) == kind)


def _grow(tree: Tree) -> list[pa.Field]:
    return [pa.field(name, pa.struct(_grow(kind)) if isinstance(kind, dict) else kind) for name, kind in tree.items()]


def _column(table: pa.Table, name: str, field: str) -> pa.Array:
    columns = [_one_column(table, name, one.split(".")) for one in alternatives(field)]
    return pc.coalesce(*columns) if len(columns) > 1 else columns[0]


def _one_column(table: pa.Table, name: str, parts: list[str]) -> pa.Array:
    values = table.column(parts[0]).combine_chunks()
    for depth, part in enumerate(parts[1:], 1):
        if not pa.types.is_struct(values.type):
            return _array(name, within_json(values, parts[depth:]))
        values = pc.struct_field(values, part)
    if pa.types.is_list(values.type):
        values = joined_lists(name, values)
    if name == "crawled_at":
        return dates(values)
    return values.cast(pa.large_string() if name == "text" else pa.string())


def _array(name: str, values: list[Any]) -> pa.Array:
    """Values as Python's parser gives them in the type of the named column."""
    fitting = [converted(name, value) for value in values]
    if name == "crawled_at":
        return pa.array(fitting, pa.int64()).cast(MOMENT)
    return pa.array(fitting, pa.large_string() if name == "text" else pa.string())


def _parse_each(block: JsonBlock, fields: Mapping[str, str], on_bad: OnFault, invalid: int) -> ParsedRows:
    rows: list[dict[str, Any]] = []
    kept: list[int] = []
    for start, stop, offset in zip(*(column.tolist() for column in block[1:4]), strict=True):
        text = block.data[start:stop].decode().removeprefix("\ufeff")
        try:
            row = DECODER.decode(text)
        except json.JSONDecodeError as error:
            several = objects_in(text)
            if several is None:
                on_bad(offset, f"{NOT_JSON}{error.msg.removesuffix(' at')} at character {error.pos + 1:,}")
            else:
                rows += [one for _, one in several]
                kept += _offsets(text, offset, several)
            continue
        if isinstance(row, dict):
            rows.append(row)
            kept.append(offset)
        elif row and isinstance(row, list) and all(isinstance(one, dict) for one in row):
            rows += row
            kept += _offsets(text, offset, objects_in(text) or ())
        else:
            on_bad(offset, "JSON, but not an object")
    values = {name: _values(rows, name, field) for name, field in fields.items()}
    return ParsedRows(np.array(kept, np.int64), values, invalid)


def _offsets(text: str, offset: int, objects: Iterable[tuple[int, Any]]) -> Iterator[int]:
    """Where objects at these places of a text that begins at `offset` begin in the file."""
    done = 0
    for at, _ in objects:
        offset += len(text[done:at].encode())
        done = at
        yield offset


def objects_in(text: str) -> list[tuple[int, dict[str, Any]]] | None:
    """The objects that stand one behind another, also with commas between them or within an array, and the place of
    each; None if there is anything else."""
    found = []
    at = _BETWEEN.match(text, 0).end()  # type: ignore[union-attr]  # it matches nothing, too
    while at < len(text):
        try:
            one, end = DECODER.raw_decode(text, at)
        except ValueError:
            return None
        if not isinstance(one, dict):
            return None
        found.append((at, one))
        at = _BETWEEN.match(text, end).end()  # type: ignore[union-attr]
    return found or None


def _values(rows: list[dict[str, Any]], name: str, field: str) -> pa.Array:
    """The value at a field of each row: of several fields, the first that gives one."""
    paths = [one.split(".") for one in alternatives(field)]
    columns = [_array(name, [value_at(row, path) for row in rows]) for path in paths]
    return pc.coalesce(*columns) if len(columns) > 1 else columns[0]


def converted(name: str, value: Any) -> str | int | None:
    """The value in the type of the named column; null if it does not fit."""
    if isinstance(value, list):
        value = joined(name, value)
    if isinstance(value, str) and not isinstance(value, Digits):
        return parse_date(value) if name == "crawled_at" else whole_text(value)
    if name in NUMBERS and isinstance(value, Digits | float):
        return "0" if value == "-0" else str(value)
    if name == "crawled_at" and isinstance(value, Digits | float):
        seconds = float(value)  # of many digits: infinite
        return math.floor(seconds * 1000.0) if FIRST_SECOND <= seconds <= LAST_SECOND else None
    return None

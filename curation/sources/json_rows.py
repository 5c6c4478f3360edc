"""Parses a block of JSON lines into columns: all at once if possible, otherwise line by line, with the same result.

At once means by pyarrow, with the types that the first line has for the id and the date. A block with a bad line or a
value of another type is parsed line by line, so that no line's result depends on its neighbours. For that, what pyarrow
takes must mean the same to Python's parser: integers keep their digits, which Python refuses to convert if they are
many, and a bare `Inf` never reaches pyarrow.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from curation.sources.dates import FIRST_SECOND, LAST_SECOND, MOMENT, dates, parse_date
from curation.sources.inflate import OnFault
from curation.sources.lines import (
    MAX_DEPTH,
    MAX_VALUES,
    LineBlock,
    line_bounds,
    line_shapes,
)

_BOM = b"\xef\xbb\xbf"

Tree = dict[str, "pa.DataType | Tree"]


class Digits(str):
    """A JSON integer as it is written."""

    __slots__ = ()


_DECODER = json.JSONDecoder(parse_int=Digits)


def parse_lines(
    block: LineBlock, fields: Mapping[str, str], on_bad: OnFault
) -> tuple[npt.NDArray[np.int64], dict[str, pa.Array]]:
    """Offsets int64[N] of the lines that are objects and, for each name in `fields` (name -> dotted path), its values
    [N]. `on_bad` gets the offset of every other line.

    text is large_string, crawled_at `dates.MOMENT`, all others string; an integer id becomes its decimal digits.
    """
    data = block.data
    if block.offset == 0 and data.startswith(_BOM):
        data = b"   " + data[len(_BOM) :]
    starts, stops = line_bounds(data)
    offsets = starts + block.offset
    if not len(starts):
        return offsets, {}
    if not _is_utf8(data):
        data = data.decode("utf-8", "replace").encode()
        starts, stops = line_bounds(data)
    values, depth, sole = line_shapes(np.frombuffer(data, np.uint8), starts, stops)
    crowded = (values > MAX_VALUES) & (stops - starts > 2 * MAX_VALUES)
    deep = (depth > MAX_DEPTH) & ~crowded
    if (sole & ~crowded & ~deep).all():
        table = _parse_block(data, data[starts[0] : stops[0]], len(starts), fields)
        if table is not None:
            return offsets, {name: _column(table, name, field) for name, field in fields.items()}
    for refused, error in (
        (crowded, f"more than {MAX_VALUES} values in a line"),
        (deep, f"nested over {MAX_DEPTH} deep"),
    ):
        for offset in offsets[refused].tolist():
            on_bad(offset, error)
    sound = ~(crowded | deep)
    return _parse_each(data, starts[sound], stops[sound], offsets[sound], fields, on_bad)


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
        row = _DECODER.decode(first.decode())
    except ValueError:
        return None
    tree: Tree = {}
    for name, field in fields.items():
        value = _value(row, field)
        kind = pa.large_string()
        if name == "id" and type(value) is Digits:
            kind = pa.int64()
        elif name == "crawled_at" and type(value) in (Digits, float):
            kind = pa.float64()
        if not _plant(tree, field.split("."), kind):
            return None
    return pa.schema(_grow(tree))


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
    first, *rest = field.split(".")
    values = table.column(first).combine_chunks()
    if rest:
        values = pc.struct_field(values, rest)
    if name == "crawled_at":
        return dates(values)
    return values.cast(pa.large_string() if name == "text" else pa.string())


def _parse_each(
    data: bytes,
    starts: npt.NDArray[np.int64],
    stops: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    fields: Mapping[str, str],
    on_bad: OnFault,
) -> tuple[npt.NDArray[np.int64], dict[str, pa.Array]]:
    rows = []
    kept = []
    for start, stop, offset in zip(starts.tolist(), stops.tolist(), offsets.tolist(), strict=True):
        try:
            row = _DECODER.decode(data[start:stop].decode().removeprefix("\ufeff"))
        except ValueError as error:
            on_bad(offset, f"not JSON: {error}")
            continue
        if isinstance(row, dict):
            rows.append(row)
            kept.append(offset)
        else:
            on_bad(offset, "JSON, but not an object")
    columns = {name: [_converted(name, _value(row, field)) for row in rows] for name, field in fields.items()}
    kinds = {"text": pa.large_string(), "crawled_at": pa.int64()}
    arrays = {name: pa.array(column, kinds.get(name, pa.string())) for name, column in columns.items()}
    if "crawled_at" in arrays:
        arrays["crawled_at"] = arrays["crawled_at"].cast(MOMENT)
    return np.array(kept, np.int64), arrays


def _value(row: Any, field: str) -> Any:
    for part in field.split("."):
        row = row.get(part) if isinstance(row, dict) else None
    return row


def _converted(name: str, value: Any) -> str | int | None:
    """The value in the type of the named column; null if it does not fit."""
    if isinstance(value, str) and not isinstance(value, Digits):
        return parse_date(value) if name == "crawled_at" else _without_surrogates(value)
    if name == "id" and isinstance(value, Digits | float):
        return "0" if value == "-0" else str(value)
    if name == "crawled_at" and isinstance(value, Digits | float):
        seconds = float(value)  # of many digits: infinite
        return math.floor(seconds * 1000.0) if FIRST_SECOND <= seconds <= LAST_SECOND else None
    return None


def _without_surrogates(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text

"""What a field of a data set may be beside one text: a list, which is joined, JSON inside of a string, and one of
several names, of which the first that has a value counts (`text_by_page_gen|text_by_page_src`).
"""

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

JOINTS = {"text": "\n\n", "licence": " AND "}  # pages of a book; licences that all hold; of any other list, the first
NUMBERS = ("id", "subset")  # document columns whose fields may hold integers

Tree: TypeAlias = dict[str, "pa.DataType | Tree"]


class Digits(str):
    """A JSON integer as it is written."""

    __slots__ = ()


DECODER = json.JSONDecoder(parse_int=Digits)


def alternatives(field: str) -> list[str]:
    """The names of which the first that has a value counts."""
    return field.split("|")


def value_at(row: Any, parts: Sequence[str]) -> Any:
    """The value at a path of names, also within a string that holds a JSON object; None if there is none."""
    for part in parts:
        if isinstance(row, str):
            row = parsed(row)
        row = row.get(part) if isinstance(row, dict) else None
    return row


def parsed(text: str) -> Any:
    """The JSON value of a string; None if it is not JSON, or nested too deep."""
    try:
        return DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def joined(name: str, values: Sequence[Any]) -> str | None:
    """A list as the named document column's one value; null if it holds anything but strings and nulls."""
    if not all(value is None or (isinstance(value, str) and not isinstance(value, Digits)) for value in values):
        return None
    if name in JOINTS:
        return JOINTS[name].join(value or "" for value in values) if values else None
    return values[0] if values else None


def joined_lists(name: str, values: pa.Array) -> pa.Array:
    """Lists of texts [N], or of bytes, as the column's values [N], as `joined`; bytes stay bytes."""
    flat = values.flatten()
    flat = flat.dictionary_decode() if pa.types.is_dictionary(flat.type) else flat
    small = flat.type in (pa.string(), pa.binary())  # binary_join takes no views
    kind = flat.type if small or flat.type in (pa.large_string(), pa.large_binary()) else pa.large_binary()
    empty = b"" if kind in (pa.binary(), pa.large_binary()) else ""
    lengths = np.asarray(pc.fill_null(pc.list_value_length(values), 0))
    stops = np.cumsum(lengths)
    if name not in JOINTS:
        first = pa.array(np.where(lengths > 0, stops - lengths, 0), mask=lengths == 0)
        return flat.take(first)
    filled = pc.fill_null(flat.cast(kind), pa.scalar(empty, kind))
    offsets = pa.array(np.concatenate([np.zeros(1, np.int64), stops]), pa.int64())
    lists = pa.LargeListArray.from_arrays(offsets, filled)
    joint = JOINTS[name].encode() if empty == b"" else JOINTS[name]
    texts = pc.binary_join(lists, pa.scalar(joint, kind))
    return pc.if_else(pa.array(lengths == 0), pa.scalar(None, kind), texts)


def within_json(values: pa.Array, parts: Sequence[str]) -> list[Any]:
    """The values [N] at a path within strings [N] that hold JSON objects."""
    texts = values.cast(pa.large_binary()).to_pylist()
    return [None if text is None else value_at(text.decode("utf-8", "replace"), parts) for text in texts]

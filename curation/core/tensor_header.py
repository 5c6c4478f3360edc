"""The header of a safetensors file, checked before any number of the file is used.

The file is 8 bytes with the header's size, a JSON object of tensors by name, and their numbers. Each tensor states its
type, its shape and where its numbers lie; together they must fill the file, without a gap and without overlapping.

Source: the format's description in https://github.com/huggingface/safetensors.
"""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

MOST_HEADER = 8 << 20  # bytes: some 80,000 tensors
MOST_DIMENSIONS = 8
MOST_LENGTH = 1 << 48  # of a dimension
BITS = {
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2", "F8_E8M0"), 8),
    **dict.fromkeys(("U16", "I16", "F16", "BF16"), 16),
    **dict.fromkeys(("U32", "I32", "F32"), 32),
    **dict.fromkeys(("U64", "I64", "F64", "C64"), 64),
}
_METADATA = "__metadata__"
_FIELDS = {"dtype", "shape", "data_offsets"}


class StatedTensor(NamedTuple):
    """A tensor's type as the format names it, its shape, and where its numbers begin and end after the header."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    stop: int


def header_of(tensors: Mapping[str, tuple[str, Sequence[int]]]) -> bytes:
    """The beginning of a file of tensors of these types and shapes, whose numbers follow one after the other. It says
    that they are torch's, which transformers asks for."""
    fields: dict[str, Any] = {_METADATA: {"format": "pt"}}
    at = 0
    for name, (dtype, shape) in tensors.items():
        end = at + math.prod(shape) * BITS[dtype] // 8
        fields[name] = {"dtype": dtype, "shape": [*shape], "data_offsets": [at, end]}
        at = end
    text = json.dumps(fields).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def stated_tensors(path: Path) -> dict[str, StatedTensor]:
    """All tensors of a file by name. Raises ValueError for a file that is cut short, or whose header is no header or
    does not fit to the file."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > size - 8:
            raise ValueError("it is cut short")
        if length > MOST_HEADER:
            raise ValueError(f"its header has {length:,} bytes, more than {MOST_HEADER:,}")
        fields = _fields(file.read(length))
    tensors = {name: _stated(name, value) for name, value in fields.items() if name != _METADATA}
    end = 0
    for tensor in sorted(tensors.values(), key=lambda one: (one.start, one.stop)):
        if tensor.start != end:
            raise ValueError("its tensors overlap, or lie apart")
        end = tensor.stop
    if 8 + length + end != size:
        raise ValueError("its size is not what its header says")
    return tensors


def _fields(text: bytes) -> Mapping[str, Any]:
    try:
        fields = json.loads(text, object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"its header is no JSON of its own kind: {str(error)[:100]}") from error
    if not isinstance(fields, dict):
        raise ValueError("its header names no tensors")
    return fields


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a name stands in it twice")
    return fields


def _stated(name: str, value: Any) -> StatedTensor:
    if not isinstance(value, dict) or value.keys() != _FIELDS or value["dtype"] not in [*BITS]:
        raise ValueError(f"its header does not say what {name[:100]!r} is")
    shape = value["shape"]
    offsets = value["data_offsets"]
    if not _are_sizes(shape, most=MOST_LENGTH) or len(shape) > MOST_DIMENSIONS:
        raise ValueError(f"its header gives {name[:100]!r} the shape {str(shape)[:100]}")
    if not _are_sizes(offsets, most=1 << 62) or len(offsets) != 2:
        raise ValueError(f"its header does not say where {name[:100]!r} is")
    if math.prod(shape) * BITS[value["dtype"]] != 8 * (offsets[1] - offsets[0]):
        raise ValueError(f"its header gives {name[:100]!r} other bytes than its shape takes")
    return StatedTensor(value["dtype"], tuple(shape), *offsets)


def _are_sizes(values: Any, *, most: int) -> bool:
    return isinstance(values, list) and all(type(value) is int and 0 <= value <= most for value in values)

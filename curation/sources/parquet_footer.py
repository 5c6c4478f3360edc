"""The footer of a Parquet file: its schema, and where the columns of each row group lie and how large they are.

The bytes are read first and understood afterwards, so that a failing disk or network (OSError) is told from damage
(InputError). The columns' places are read by `thrift`, not by pyarrow, which a damaged footer ends together with the
process.

Source: apache/parquet-format, parquet.thrift (FileMetaData, RowGroup, ColumnMetaData).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from curation.core.errors import InputError
from curation.sources.thrift import Numbers, ThriftError, read_numbers
from curation.text.kernels.buffers import Indices

_MAGIC = b"PAR1"
_ENCRYPTED = b"PARE"
_TAIL = 8  # bytes at the end of a file: the footer's length and the magic
_FIRST = 1 << 16  # bytes of the end that are read at once; most footers are shorter

# the struct of a group, its rows, the struct of a column in it
_GROUP = (4,)
_ROWS = (4, 3)
_CHUNK = (4, 1, 3)
_SIZE = (4, 1, 3, 6)
_STORED = (4, 1, 3, 7)
_PAGES = (4, 1, 3, 9)
_DICTIONARY = (4, 1, 3, 11)
_PATHS = (_GROUP, _ROWS, _CHUNK, _SIZE, _STORED, _PAGES, _DICTIONARY)


@dataclass(frozen=True)
class Footer:
    """What the end of a file says about it: G row groups of L columns each. `metadata` is pyarrow's, whose row groups
    must not be asked for columns; `leaves` are the paths of the columns."""

    metadata: pq.FileMetaData
    schema: pa.Schema
    leaves: tuple[str, ...]
    rows: Indices  # int64[G]
    start: npt.NDArray[np.int64]  # int64[G, L]: where a column's pages begin …
    stored: npt.NDArray[np.int64]  # … their bytes in the file …
    size: npt.NDArray[np.int64]  # … and without compression


def read_footer(stream: pa.NativeFile, path: str) -> Footer:
    """The footer of the file, which `path` names in errors. Raises InputError for a file that is not Parquet, is cut
    short or has a damaged footer, and OSError where it cannot be read."""
    size = stream.size()
    tail = stream.read_at(min(size, _FIRST), max(size - _FIRST, 0))
    magic = tail[-len(_MAGIC) :]
    if magic == _ENCRYPTED:
        raise InputError(f"{path} cannot be read as Parquet: its footer is encrypted; decrypt it first")
    if magic != _MAGIC:
        raise _unreadable(path, "it does not end as Parquet does: it is something else, or its end is missing")
    length = int.from_bytes(tail[-_TAIL : -len(_MAGIC)], "little")
    if length + _TAIL > size:
        raise _unreadable(path, "its beginning is missing, or its end is damaged")
    if length + _TAIL > len(tail):
        tail = stream.read_at(length + _TAIL, size - length - _TAIL)
    footer = tail[-length - _TAIL :]
    try:
        metadata = pq.read_metadata(pa.BufferReader(_MAGIC + footer))
        leaves = tuple(metadata.schema.column(number).path for number in range(metadata.num_columns))
        return Footer(metadata, metadata.schema.to_arrow_schema(), leaves, *_groups(footer, len(leaves)))
    except (pa.ArrowException, OSError, EOFError, UnicodeDecodeError, ThriftError) as error:
        raise _unreadable(path, f"its footer is damaged: {error}") from None  # not a fault of the disk


def _unreadable(path: str, cause: str) -> InputError:
    return InputError(f"{path} cannot be read as Parquet: {cause.strip()}; copy it again, or leave it out")


def _groups(footer: bytes, leaves: int) -> tuple[Indices, ...]:
    """Rows int64[G], start, stored and size int64[G, leaves]."""
    numbers = read_numbers(footer, _PATHS)
    chunks = _places(numbers, _CHUNK)
    groups = _places(numbers, _GROUP)
    counts = np.bincount(np.searchsorted(groups, chunks) - 1, minlength=len(groups)) if len(groups) else chunks
    if len(chunks) != len(groups) * leaves or (counts != leaves).any():
        raise ThriftError("its row groups do not have the columns of its schema")
    rows = _each(numbers, _ROWS, groups)
    stored, size, pages, dictionary = (
        _each(numbers, path, chunks, default).reshape(len(groups), leaves)
        for path, default in ((_STORED, None), (_SIZE, None), (_PAGES, None), (_DICTIONARY, 0))
    )
    return rows, np.where((dictionary > 0) & (dictionary < pages), dictionary, pages), stored, size


def _places(numbers: Numbers, path: tuple[int, ...]) -> Indices:
    return np.flatnonzero(numbers.path == _PATHS.index(path))


def _each(numbers: Numbers, path: tuple[int, ...], structs: Indices, default: int | None = None) -> Indices:
    """int64[N]: a field of each struct, of which these are the places. Raises ThriftError where one has none."""
    places = _places(numbers, path)
    owners = np.searchsorted(structs, places) - 1
    found = np.full(len(structs), default or 0, np.int64)
    found[owners] = numbers.value[places]
    if default is None and len(np.unique(owners)) < len(structs):
        raise ThriftError(f"a row group or column lacks field {path[-1]}")
    return found

"""The footer of a Parquet file: its schema, and where the columns of each row group lie and how large they are.

The bytes are read first and understood afterwards, so that a failing disk or network (OSError) is told from damage
(InputError). The columns' places are read by `thrift`, not by pyarrow, which a damaged footer ends together with the
process.

Source: apache/parquet-format, parquet.thrift (FileMetaData, RowGroup, ColumnMetaData).
"""

from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from curation.core.errors import InputError
from curation.sources.thrift import Fields, ThriftError, number_of, read_struct, structs_of

_MAGIC, _ENCRYPTED = b"PAR1", b"PARE"
_TAIL = 8  # bytes at the end of a file: the footer's length and the magic
_FIRST = 1 << 16  # bytes of the end that are read at once; most footers are shorter


class Chunk(NamedTuple):
    """A column of a row group: its path, where its pages begin, and their bytes as stored and without compression."""

    path: str
    start: int
    stored: int
    size: int


class Group(NamedTuple):
    """A row group."""

    rows: int
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True)
class Footer:
    """What the end of a file says about it. `metadata` is pyarrow's, whose row groups must not be asked for columns;
    `leaves` are the paths of the columns that are stored."""

    metadata: pq.FileMetaData
    schema: pa.Schema
    leaves: frozenset[str]
    groups: tuple[Group, ...]


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
        leaves = frozenset(metadata.schema.column(number).path for number in range(metadata.num_columns))
        return Footer(metadata, metadata.schema.to_arrow_schema(), leaves, _groups(footer))
    except (pa.ArrowException, OSError, IndexError, UnicodeDecodeError, ThriftError) as error:
        raise _unreadable(path, f"its footer is damaged: {error}") from None  # not a fault of the disk


def _unreadable(path: str, cause: str) -> InputError:
    return InputError(f"{path} cannot be read as Parquet: {cause.strip()}; copy it again, or leave it out")


def _groups(footer: bytes) -> tuple[Group, ...]:
    groups = structs_of(read_struct(footer)[0], 4)
    return tuple(Group(number_of(group, 3), tuple(map(_chunk, structs_of(group, 1)))) for group in groups)


def _chunk(column: Fields) -> Chunk:
    metadata = column.get(3)
    if not isinstance(metadata, dict):
        raise ThriftError("a column has no metadata")
    names = metadata.get(3)
    parts = [name.decode() for name in names if isinstance(name, bytes)] if isinstance(names, list) else []
    first, dictionary = number_of(metadata, 9), number_of(metadata, 11, 0)
    start = dictionary if 0 < dictionary < first else first
    return Chunk(".".join(parts), start, number_of(metadata, 7), number_of(metadata, 6))

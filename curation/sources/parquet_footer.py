"""The footer of a Parquet file: its schema, and the rows and the size of each row group.

The bytes are read first and understood afterwards, so that a failing disk or network (OSError) is told from damage
(InputError). pyarrow must not be asked for the columns of a row group: in a damaged footer that ends the process
(SIGABRT, pyarrow 26). What it says of whole groups is safe.
"""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from curation.core.errors import InputError

_MAGIC = b"PAR1"
_ENCRYPTED = b"PARE"
_TAIL = 8  # bytes at the end of a file: the footer's length and the magic
_FIRST = 1 << 16  # bytes of the end that are read at once; most footers are shorter


@dataclass(frozen=True)
class Footer:
    """What the end of a file says about it. `metadata` is pyarrow's, whose row groups must not be asked for columns."""

    metadata: pq.FileMetaData
    schema: pa.Schema
    leaves: tuple[str, ...]  # paths of the columns, as they are stored
    rows: tuple[int, ...]  # of each row group …
    sizes: tuple[int, ...]  # … and its bytes without compression
    file_size: int  # bytes


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
    try:
        metadata = pq.read_metadata(pa.BufferReader(_MAGIC + tail[-length - _TAIL :]))
        leaves = tuple(metadata.schema.column(number).path for number in range(metadata.num_columns))
        schema = metadata.schema.to_arrow_schema()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, f"its footer is damaged: {error}") from None  # not a fault of the disk
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    if any(group.num_columns != len(leaves) or min(group.num_rows, group.total_byte_size) < 0 for group in groups):
        raise _unreadable(path, "its footer is damaged: its row groups do not have the columns of its schema")
    rows = tuple(group.num_rows for group in groups)
    return Footer(metadata, schema, leaves, rows, tuple(group.total_byte_size for group in groups), size)


def _unreadable(path: str, cause: str) -> InputError:
    return InputError(f"{path} cannot be read as Parquet: {cause.strip()}; copy it again, or leave it out")

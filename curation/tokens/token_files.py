"""The files of a token shard: rows of tokens, and an index of the segments in each row, both to be memory-mapped.

`<name>.bin`: rows of exactly `row_tokens` tokens, uint16 or uint32 little-endian, no header.
`<name>.idx`: a 64-byte header (HEADER), then uint64[rows + 1], the number of the first segment of each row, then
uint32[segments], each segment's length in tokens with PADDING_BIT set if it is padding. The lengths of a row add up to
`row_tokens`. Padding may occur anywhere in a row: a takedown turns a document's tokens into padding.
`<name>.parquet`: LINEAGE, one row per segment in the order of the index.

A token may occur in two rows, at the end of one and where its document continues (see `pack`): `doc_offset` shows it.
The manifest has the number of tokens in a file, each counted once.
"""

import shutil
import struct
from dataclasses import dataclass
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core import storage
from curation.core.errors import InputError

Tokens = npt.NDArray[np.unsignedinteger[Any]]  # uint16 or uint32

FORMAT_VERSION = 2
MAGIC = b"WNTOKENS"
# magic, format version, bytes per token, row_tokens, (unused), rows, segments, (unused)
HEADER = struct.Struct("<8sIIIIQQ24x")
PADDING_BIT = 1 << 31
CHUNK = 16 << 20  # bytes of a request to a store
SPLITS = {"train": "tokens", "validation": "validation"}  # split -> prefix of its file names

LINEAGE = pa.schema(
    [
        ("row", pa.int64()),
        ("position", pa.int32()),  # of the segment's first token in the row
        ("doc_id", pa.string()),  # null = padding
        ("source", pa.string()),
        ("doc_offset", pa.int64()),  # of the segment's first token in the document
        ("length", pa.int32()),  # tokens
        ("padding", pa.bool_()),
        ("url", pa.string()),
        ("document", pa.int64()),  # its number in this file, in packing order; null = padding
    ]
)


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """The facts about a tokenizer that token files depend on."""

    size: int
    end_of_text: int
    padding: int
    tokenizer: str  # BLAKE2b-256 of its file, in hex
    begin_of_text: int | None = None  # None: documents begin with their text
    file: str = "tokenizer.json"  # name of the copy of it beside the tokens

    @property
    def dtype(self) -> "np.dtype[np.unsignedinteger[Any]]":
        """uint16 if every id fits, else uint32; little-endian."""
        return np.dtype("<u2" if self.size <= 1 << 16 else "<u4")


@dataclass(frozen=True)
class Segments:
    """Index of one file: offsets uint64[rows + 1], lengths uint32[segments] with PADDING_BIT."""

    offsets: npt.NDArray[np.uint64]
    lengths: npt.NDArray[np.uint32]


def file_name(split: str, shard: int, label: str | None = None) -> str:
    """`tokens-00007` or `validation-00007`; for a sub-source, `tokens-00007-<label>`. Suffixes are not included."""
    return f"{SPLITS[split]}-{shard:05d}" + (f"-{label}" if label is not None else "")


def leaf_name(source: str, label: str | None) -> str:
    """The name of a leaf, which is what a mix weighs: a source, or the sub-source with a label."""
    return source if label is None else f"{source}/{label}"


def index_header(rows: int, segments: int, *, item_bytes: int, row_tokens: int) -> bytes:
    """The header of an `.idx` file; the offsets and the lengths follow."""
    return HEADER.pack(MAGIC, FORMAT_VERSION, item_bytes, row_tokens, 0, rows, segments)


def open_rows(uri: str, *, rows: int, row_tokens: int, dtype: npt.DTypeLike) -> Tokens:
    """Memory-mapped tokens [rows, row_tokens]. Raises InputError unless the file has exactly that size."""
    dtype = np.dtype(dtype)
    if rows == 0:
        return np.empty((0, row_tokens), dtype)
    content = map_file(uri)
    expected = rows * row_tokens * dtype.itemsize
    if content.size != expected:
        raise InputError(f"{uri} has {content.size:,} bytes, its manifest says {expected:,}; copy or pack it again")
    return np.frombuffer(content, dtype).reshape(rows, row_tokens)


def open_segments(uri: str, *, rows: int, row_tokens: int, item_bytes: int) -> Segments:
    """Memory-mapped index. Raises InputError unless it indexes `rows` rows of that shape."""
    return segments_in(map_file(uri), uri, rows=rows, row_tokens=row_tokens, item_bytes=item_bytes)


def segments_in(content: pa.Buffer, uri: str, *, rows: int, row_tokens: int, item_bytes: int) -> Segments:
    """The same for an index that was mapped or read from `uri`."""
    header = bytes(content[: HEADER.size]).ljust(HEADER.size)
    magic, version, item, tokens, _, indexed, count = HEADER.unpack(header)
    if magic != MAGIC:
        raise InputError(f"{uri} is not a token index; pack it again")
    if version != FORMAT_VERSION:
        raise InputError(f"{uri} has token format {version}, this winnow reads {FORMAT_VERSION}; pack again")
    if (indexed, tokens, item) != (rows, row_tokens, item_bytes):
        raise InputError(
            f"{uri} indexes {indexed} rows of {tokens} tokens of {item} bytes, its manifest says {rows} of "
            f"{row_tokens} of {item_bytes}; copy or pack it again"
        )
    if content.size != HEADER.size + 8 * (rows + 1) + 4 * count:
        raise InputError(f"{uri} has {content.size:,} bytes, which its header contradicts; copy or pack it again")
    offsets = np.frombuffer(content, "<u8", rows + 1, HEADER.size)
    return Segments(offsets, np.frombuffer(content, "<u4", count, HEADER.size + 8 * (rows + 1)))


def map_file(uri: str) -> pa.Buffer:
    """The file as a read-only mapping; of one in a store, a copy on this machine's disk that is gone with the mapping.
    No descriptor stays open, so thousands of files can be mapped at once."""
    try:
        if not storage.in_store(uri):
            return _mapped(storage.resolve(uri)[1])
        fs, path = storage.resolve(uri)
        with NamedTemporaryFile(prefix="winnow-") as copy, fs.open_input_stream(path) as source:
            shutil.copyfileobj(source, copy, CHUNK)
            copy.flush()
            return _mapped(copy.name)
    except FileNotFoundError as error:
        raise InputError(f"no file at {uri}; copy the whole pack folder") from error


def _mapped(path: str) -> pa.Buffer:
    with pa.memory_map(path) as file:
        return file.read_buffer()

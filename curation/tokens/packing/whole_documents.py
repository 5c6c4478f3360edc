"""Restores documents from the rows that they were packed into, whatever the method.

Lineage names each segment's document and the segment's offset in it. Sorted by these, the segments of a document follow
each other. Where two rows hold the same token, the second is left out. Padding belongs to no document.
Memory: the lineage of one file (about 100 bytes a segment) and CHUNK_TOKENS. S = segments, N = documents.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from curation.core import storage
from curation.core.errors import InputError
from curation.core.parquet_file import open_parquet
from curation.tokens.packing.documents import lay
from curation.tokens.row_files import RowFile
from curation.tokens.token_files import Tokens, open_rows

CHUNK_TOKENS = 1 << 22
Ints = npt.NDArray[np.int64]


def whole_documents(folder: str, file: RowFile, *, row_tokens: int, dtype: Any) -> Iterator[tuple[Tokens, Ints]]:
    """The documents of a file below `folder`, in the order in which they were packed. Yields tokens end to end, with
    the lengths int64[N] of the documents that end among them; a long document's tokens come in several pieces.

    Raises InputError if the lineage is missing or does not cover whole documents.
    """
    stem = storage.join(folder, file.name)
    starts, lengths, last = _segments(stem + ".parquet", row_tokens)
    rows = open_rows(stem + ".bin", rows=file.rows, row_tokens=row_tokens, dtype=dtype)
    flat = rows.reshape(-1)
    ends = np.cumsum(lengths)
    first = 0
    open_tokens = 0
    while first < len(lengths):
        begin = int(ends[first] - lengths[first])
        stop = max(first + 1, int(np.searchsorted(ends, begin + CHUNK_TOKENS, side="right")))
        out = np.empty(int(ends[stop - 1]) - begin, rows.dtype)
        lay(flat, starts[first:stop], lengths[first:stop], out)
        document_ends = ends[first:stop][last[first:stop]] - begin
        sizes = np.diff(document_ends, prepend=-open_tokens)
        open_tokens = len(out) - int(document_ends[-1]) if len(document_ends) else open_tokens + len(out)
        yield out, sizes
        first = stop


def _segments(uri: str, row_tokens: int) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
    """The file's runs of tokens, document by document: start in the file, length, and whether a document ends there;
    [S] each."""
    if not storage.exists(uri):
        raise InputError(f"no file at {uri}: it names the documents in the rows; copy the whole pack folder")
    with open_parquet(uri) as file:
        table = file.read(columns=[*_COLUMNS, "padding"])
    table = table.filter(pc.invert(table["padding"]))
    row, position, offset, length, document = (table[name].to_numpy().astype(np.int64) for name in _COLUMNS)
    order = np.lexsort((row, offset, document))
    document = document[order]
    offset = offset[order]
    length = length[order]
    same = np.concatenate([[False], document[1:] == document[:-1]])[: len(document)]
    reached = np.concatenate([[0], (offset + length)[:-1]])[: len(document)] * same  # tokens of the document so far
    if (offset > reached).any():
        raise InputError(f"{uri} does not hold whole documents; pack again")
    skipped = reached - offset
    starts = row[order] * row_tokens + position[order] + skipped
    last = np.concatenate([~same[1:], [True]])[: len(document)]
    return starts, length - skipped, last


_COLUMNS = ("row", "position", "doc_offset", "length", "document")

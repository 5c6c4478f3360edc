"""Groups input files into units of work, small ones together and large ones alone, and rows into batches."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import pyarrow as pa

from curation.core.names import whole_texts
from curation.core.protocols import Piece
from curation.core.reading import pulled

MAX_ROWS = 1_000  # of a batch
MAX_BYTES = 16 << 20  # of a batch's text or content, unless one row has more

Row = TypeVar("Row")
_most_rows: ContextVar[int | None] = ContextVar("rows of a batch", default=None)


@contextmanager
def small_batches(rows: int) -> Iterator[None]:
    """Within it, batches of rows have at most so many: of a file that is looked at, no more is read."""
    token = _most_rows.set(rows)
    try:
        yield
    finally:
        _most_rows.reset(token)


def group(pieces: Iterable[tuple[Piece, int]], group_bytes: int) -> list[tuple[Piece, ...]]:
    """Consecutive pieces, given with their sizes in bytes, joined while a unit stays within `group_bytes`.

    A range of a file is a unit by itself, and so is a piece larger than the limit.
    """
    units: list[tuple[Piece, ...]] = []
    open_unit: list[Piece] = []
    total = 0
    for piece, size in pieces:
        is_range = piece.start != 0 or piece.stop != -1
        if open_unit and (is_range or total + size > group_bytes):
            units.append(tuple(open_unit))
            open_unit = []
            total = 0
        if is_range:
            units.append((piece,))
        else:
            open_unit.append(piece)
            total += size
    return [*units, tuple(open_unit)] if open_unit else units


def batched(rows: Iterable[tuple[Row, int]]) -> Iterator[list[Row]]:
    """Consecutive rows, given with the sizes of their texts or contents, as many as fit into a batch."""
    held: list[Row] = []
    total = 0
    most = _most_rows.get() or MAX_ROWS
    for row, size in pulled(rows):
        if held and (len(held) == most or total + size > MAX_BYTES):
            yield held
            held = []
            total = 0
        held.append(row)
        total += size
    if held:
        yield held


def row_batches(rows: Iterable[dict[str, Any]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Batches of consecutive rows, as many as fit by their contents or texts. Half characters become U+FFFD."""
    column = "content" if "content" in schema.names else "text"
    for some in batched((row, len(row[column] or "")) for row in rows):
        try:
            batch = pa.RecordBatch.from_pylist(some, schema=schema)
        except UnicodeEncodeError:
            batch = pa.RecordBatch.from_pylist(whole_texts(some), schema=schema)
        yield batch

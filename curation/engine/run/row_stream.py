"""A unit's rows as they pass through its task: in blocks of bounded size, each row with its number in the unit."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa

BLOCK_BYTES = 16 << 20  # of rows that a task holds between read, map and write, unless a single row is longer
BLOCK_ROWS = 8192


class RowStream:
    """Batches in order, small ones joined so that components get many rows at once; `seen` counts the rows."""

    def __init__(self, batches: Iterable[pa.RecordBatch], block_rows: int = BLOCK_ROWS) -> None:
        self._batches = batches
        self._block_rows = block_rows
        self.seen = 0

    def blocks(self) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Each block with the number of its first row."""
        waiting: list[pa.RecordBatch] = []
        rows = size = 0
        for batch in self._batches:
            if waiting and (size + batch.nbytes > BLOCK_BYTES or rows + batch.num_rows > self._block_rows):
                yield self._block(waiting, rows)
                waiting = []
                rows = 0
                size = 0
            if batch.num_rows:
                waiting.append(batch)
                rows += batch.num_rows
                size += batch.nbytes
        if waiting:
            yield self._block(waiting, rows)

    def _block(self, batches: Sequence[pa.RecordBatch], rows: int) -> tuple[int, pa.RecordBatch]:
        self.seen += rows
        return self.seen - rows, batches[0] if len(batches) == 1 else pa.concat_batches(batches)

    def between(self, start: int, stop: int) -> Iterator[pa.RecordBatch]:
        """Only rows [start, stop), though all are read."""
        for first, block in self.blocks():
            low = max(start - first, 0)
            high = min(stop - first, block.num_rows)
            if low < high:
                yield block.slice(low, high - low)

    def with_crashed(self, crashed: Sequence[tuple[int, str]]) -> Iterator[tuple[pa.RecordBatch, Mapping[int, str]]]:
        """Each block, with the rows in it that no component may see: row within the block -> key of the component."""
        for first, block in self.blocks():
            yield block, {row - first: key for row, key in crashed if first <= row < first + block.num_rows}


def read_ahead(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same batches; the next one is read while the caller works on the one before."""
    with ThreadPoolExecutor(1) as reader:
        waiting = reader.submit(next, batches, None)
        while (batch := waiting.result()) is not None:
            waiting = reader.submit(next, batches, None)
            yield batch

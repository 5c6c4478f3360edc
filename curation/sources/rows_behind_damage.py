"""How many rows of a compressed file were lost behind damage, where its decompression ends or passes over bytes.

An estimate: the rows in those bytes are counted as if they were as long as the rows that could be read.
"""

from curation.core import storage
from curation.core.protocols import ReadTally


class RowsBehindDamage:
    """Is told of the faults in a file's compression and of the bytes that are passed over, and of the file's end."""

    def __init__(self, path: str, tally: ReadTally) -> None:
        self._path = path
        self._tally = tally
        self._first = (0, "")  # fault
        self._passed: list[tuple[int, int | None]] = []

    def fault(self, offset: int, error: str) -> None:
        """Damage, which is noted in the tally."""
        self._first = self._first if self._first[1] else (offset, error)
        self._tally.fault(self._path, offset, error)

    def passed(self, start: int, stop: int | None) -> None:
        """Bytes of which nothing was read; None: up to the end."""
        self._passed.append((start, stop))

    def end(self) -> None:
        """Counts the rows that were lost, if any could be read."""
        rows = self._tally.rows_of(self._path)
        if not (self._passed and rows.rows):
            return
        size = storage.size(self._path)
        lost = sum(max((size if stop is None else stop) - start, 0) for start, stop in self._passed)
        number = rows.rows * lost // max(size - lost, 1)
        if number:
            offset, error = self._first
            rows.fail("damaged", offset, f"{error} (the {rows.called}s behind it are an estimate)")
            rows.failed["damaged"] += number - 1

"""Counts the bytes of an archive that could not be read: those between a fault and the record after it, or the end.

An estimate that is never too high. Offsets are those of the file or, of a record within a compressed member, of the
decompressed bytes, which are further on; what was lost within a member of which a record could be read is not counted,
unless its decompression ends there, which tells what it passes over.
"""

from collections.abc import Callable
from typing import TypeAlias

OnLost: TypeAlias = Callable[[int, int, int, str], None]  # (bytes of the file, those lost, the first fault, its error)


class LostBytes:
    """Sums the bytes between each fault and the next record, or the end, of a file of `size` bytes."""

    def __init__(self, size: int, on_lost: OnLost) -> None:
        self._size = size
        self._on_lost = on_lost
        self._open: int | None = None  # where the bytes begin that nothing was read of
        self._last = 0  # record's offset
        self._lost = 0
        self._passed = 0
        self._first = (0, "")

    def fault(self, offset: int, error: str) -> None:
        """Damage at an offset."""
        if not self._first[1]:
            self._first = (offset, error)
        self._open = offset if self._open is None else self._open

    def record(self, offset: int) -> None:
        """A record that could be read."""
        self._close(offset)
        self._last = max(self._last, offset)

    def passed(self, start: int, stop: int | None) -> None:
        """Bytes behind damage of which nothing was decompressed; None: up to the end."""
        self._passed += max((self._size if stop is None else stop) - start, 0)

    def end(self) -> None:
        """Adds the bytes behind the last fault and reports the sum."""
        self._close(self._size)
        self._on_lost(self._size, max(self._lost, self._passed), *self._first)

    def _close(self, offset: int) -> None:
        if self._open is not None:
            self._lost += max(0, offset - max(self._open, self._last))
        self._open = None

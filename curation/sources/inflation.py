"""Ends the reading of a file that gives far more bytes than any text does that was compressed: a bomb.

The bytes of archives within archives count as well, at all depths, beside those of the file itself; so what a file may
give does not grow with how often it is packed.
"""

from collections.abc import Callable

from curation.sources.read_ahead import Window

FREE = 4 << 30  # bytes that any file may give
MAX_RATIO = 250  # bytes that it may give beyond for each of its own; the histories of a wiki in 7z give up to 150
BOMB = f"gives over {MAX_RATIO} times its bytes, as no text does; the rest is not read"


class Inflation:
    """Counts the bytes that a file gives, beside those `read` of it so far; `over`: they were too many."""

    def __init__(self, read: Callable[[], int]) -> None:
        self._read = read
        self._given = 0
        self.over = False

    @classmethod
    def of(cls, window: Window) -> "Inflation":
        """That of the file which a window moves over."""
        return cls(window.bytes_read)

    def add(self, size: int) -> bool:
        """Counts bytes that were given; false once there are too many."""
        self._given += size
        self.over = self.over or (self._given > FREE and self._given - FREE > MAX_RATIO * self._read())
        return not self.over

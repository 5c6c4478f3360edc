"""A stream of decompressed bytes, with the boundaries that no record crosses."""

import re
from collections import deque
from collections.abc import Iterator

from curation.sources.inflate import InflatedBytes
from curation.sources.read_ahead import BLOCK

AHEAD = 1 << 13  # bytes after a record that show whether another begins there; more than any start of a record
MAX_MEMBERS = 1 << 20  # that are remembered: a record of more has tiny ones, of which it needs only the last

_NEWLINES = re.compile(rb"[\r\n]*")


class ByteStream:
    """Decompressed bytes with a position. A boundary is the start of a member that begins with a record, or a place
    where bytes are missing."""

    def __init__(self, spans: Iterator[InflatedBytes], record_start: re.Pattern[bytes]) -> None:
        self._spans = spans
        self._record_start = record_start
        self.data = b""
        self.at = 0  # position in `data`
        self._base = 0  # position of data[0]
        self._boundaries: deque[int] = deque()
        self._gaps: set[int] = set()
        self._members: deque[tuple[int, int]] = deque(maxlen=MAX_MEMBERS)
        self.ended = False

    @property
    def position(self) -> int:
        return self._base + self.at

    def need(self, size: int) -> int:
        """How many bytes there are, at most `size`, before the next boundary or the end."""
        limit = self._limit()
        if len(self.data) - self.at < size and limit is None and not self.ended:
            self._fill(size)
            limit = self._limit()
        have = min(size, len(self.data) - self.at)
        return have if limit is None else min(have, limit - self.position)

    def _limit(self) -> int | None:
        while self._boundaries and self._boundaries[0] <= self.position:
            self._boundaries.popleft()
        return self._boundaries[0] if self._boundaries else None

    def _fill(self, size: int) -> None:
        # The byte before `at` stays, so that a search can see whether it begins at the start of a line.
        start = max(self.at - 1, 0)
        data = bytearray(self.data[start:])  # a list would take many times the bytes of tiny members
        self._base += start
        self.at -= start
        have = len(data) - self.at
        end = self._base + len(data)
        size += size >> 3  # so that steps of few bytes do not copy all of it each time
        while have < size and not self._boundaries:
            span = next(self._spans, None)
            if span is None:
                self.ended = True
                break
            self._mark(span, end)
            data += span.data
            have += len(span.data)
            end += len(span.data)
        self.data = bytes(data)

    def _mark(self, span: InflatedBytes, end: int) -> None:
        if span.member is not None:
            self._members.append((end, span.member))
        if span.gap:
            self._gaps.add(end)
        if end > self.position and (span.gap or (span.member is not None and self._record_start.match(span.data))):
            self._boundaries.append(end)

    def cut_by_gap(self) -> bool:
        """Whether bytes are missing at the next boundary."""
        return self._limit() in self._gaps

    def skip_newlines(self) -> bool:
        """False at the end of the bytes."""
        while have := self.need(AHEAD):
            passed = end_of_newlines(self.data, self.at, self.at + have) - self.at
            self.at += passed
            if passed < have:
                return True
        return False

    def skip(self, size: int) -> int:
        """Moves on by up to `size` bytes, not past a boundary; returns by how many."""
        left = size
        while left and (have := self.need(min(left, BLOCK))):
            self.at += have
            left -= have
            if self.at_boundary():
                break  # another `need` would read on past the boundary
        return size - left

    def at_boundary(self) -> bool:
        """Whether the last step ended at a boundary."""
        return bool(self._boundaries) and self._boundaries[0] <= self.position

    def ends_after(self, size: int) -> bool:
        """Whether `size` bytes are the last before the end, or before a place where bytes are missing."""
        return self.need(size + 1) == size and (self._limit() is None or self.cut_by_gap())

    def pass_gaps(self) -> bool:
        """Whether bytes are missing between the last call and here."""
        passed = {gap for gap in self._gaps if gap <= self.position}
        self._gaps -= passed
        return bool(passed)

    def offset(self, after: int) -> int:
        """The offset of the record that begins here; `after` is the position where the last one ended."""
        member = None
        while self._members and self._members[0][0] <= self.position:
            member = self._members.popleft()
        return member[1] if member and member[0] >= after else self.position


def end_of_newlines(data: bytes, start: int, stop: int) -> int:
    """The position of the first byte in [start, stop) that is not a line end, or `stop`."""
    match = _NEWLINES.match(data, start, stop)
    assert match is not None
    return match.end()

"""Cuts a stream of JSON into its objects, wherever their line breaks are: an array of them, on one line or on many,
objects one behind another, or with commas between them.

Brackets of arrays and commas around objects are passed over. An object that is damaged ends where a line break stands
within a string, or where another object cannot begin within it, so that the objects after it are found again. Each byte
is looked at once, and what is held is one object, of at most `max_value` bytes, and a block.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from curation.sources.inflate import OnFault
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Int, Out, kernel

BLOCK_BYTES = 8 << 20
DEEPEST = 4096  # brackets; an object with more is damaged
OBJECT, DAMAGED, OTHER = range(3)  # kinds of values: an object, one that is cut off, and what is no object
_OUTSIDE, _IN_OBJECT, _PASSING, _IN_OTHER = range(4)  # where the scan stands; passing: behind damage
_MODE, _DEPTH, _QUOTED, _ESCAPED, _LAST, _START = range(6)  # fields of the scan's state
_EVENTS = 1 << 15  # values that one call of the kernel finds at most


class JsonBlock(NamedTuple):
    """Rows of a file, whole ones: row n is data[starts[n]:stops[n]], which lies at `offsets[n]` in the decompressed
    file. `lines`: whether the rows are lines, and `data` all of these."""

    data: bytes
    starts: Indices
    stops: Indices
    offsets: Indices
    lines: bool = False


class _Values(NamedTuple):
    """Values, and where they lie in the file: from start to stop."""

    starts: Indices
    stops: Indices
    kinds: Indices


class ValueScan:
    """The scan of one stream: `feed` gives the values that end in the bytes given, `ended` the one that the end cuts
    off."""

    def __init__(self) -> None:
        self._state = np.zeros(6, np.int64)
        self._stack = np.zeros(DEEPEST, np.uint8)

    @property
    def open_at(self) -> int | None:
        """Where the value begins that has not ended; None between values, and where what is left of one is passed
        over."""
        mode = int(self._state[_MODE])
        return int(self._state[_START]) if mode in (_IN_OBJECT, _IN_OTHER) else None

    def feed(self, data: Bytes, offset: int) -> _Values:
        """`data` are the bytes from `offset` on, which follow those given before."""
        found: list[_Values] = []
        at = 0
        while at < len(data):
            values = _Values(*(np.empty(_EVENTS, np.int64) for _ in range(3)))
            stands, count = cut_values(data, at, offset, self._state, self._stack, *values)
            at = int(stands)
            found.append(_Values(*(column[:count] for column in values)))
        return _Values(*(np.concatenate(columns) for columns in zip(*found, strict=True))) if found else _none()

    def ended(self, stop: int) -> _Values:
        """The value that is cut off at `stop`, the end of the stream; none where it ends between values."""
        mode = int(self._state[_MODE])
        if self.open_at is None:
            return _none()
        kind = DAMAGED if mode == _IN_OBJECT else OTHER
        return _Values(*(np.array([value], np.int64) for value in (self.open_at, stop, kind)))


def _none() -> _Values:
    return _Values(*(np.empty(0, np.int64) for _ in range(3)))


def value_blocks(chunks: Iterator[bytes], max_value: int, on_long: OnFault) -> Iterator[JsonBlock]:
    """The values in the chunks of a file. One longer than `max_value` bytes is reported to `on_long` and not held."""
    scan = ValueScan()
    held = bytearray()
    base = 0  # of what is held, in the file
    scanned = 0  # bytes of the file
    for chunk in chunks:
        held += chunk
        if base + len(held) - scanned < BLOCK_BYTES:
            continue
        values = _fed(scan, held, base, scanned)
        scanned = base + len(held)
        yield from _block(held, base, values, max_value, on_long)
        open_at = scan.open_at
        keep = scanned if open_at is None or scanned - open_at > max_value else max(open_at, base)
        del held[: keep - base]
        base = keep
    found = (_fed(scan, held, base, scanned), scan.ended(base + len(held)))
    last = _Values(*(np.concatenate(columns) for columns in zip(*found, strict=True)))
    yield from _block(held, base, last, max_value, on_long)


def _fed(scan: ValueScan, held: bytearray, base: int, scanned: int) -> _Values:
    return scan.feed(np.frombuffer(held, np.uint8)[scanned - base :], scanned)


def _block(held: bytearray, base: int, values: _Values, max_value: int, on_long: OnFault) -> Iterator[JsonBlock]:
    long = values.stops - values.starts > max_value
    for start in values.starts[long].tolist():
        on_long(start, f"longer than {max_value} bytes")
    starts, stops, kinds = (column[~long] for column in values)
    if not len(starts):
        return
    first, end = int(starts[0]) - base, int(stops[-1]) - base
    data = held[first:end]
    if (kinds == OBJECT).all():
        blank_between(np.frombuffer(data, np.uint8), starts - starts[0], stops - starts[0])
    yield JsonBlock(bytes(data), starts - starts[0], stops - starts[0], starts)


@kernel
def blank_between(data: Out[Bytes], starts: Indices, stops: Indices) -> None:
    """Puts line breaks between the objects, and spaces in place of those within."""
    end = 0
    for i in range(starts.size):
        data[end : starts[i]] = 10
        for at in range(starts[i], stops[i]):
            if data[at] == 10 or data[at] == 13:
                data[at] = 32
        end = stops[i]


@kernel
def cut_values(
    data: Bytes,
    at: Int,
    offset: Int,
    state: Out[Indices],
    stack: Out[Bytes],
    starts: Out[Indices],
    stops: Out[Indices],
    kinds: Out[Indices],
) -> tuple[Int, Int]:
    """Scans data[at:], of which byte 0 is at `offset` in the file, until its end or until `starts` is full. Returns
    where it stands, and how many values have ended."""
    mode, depth, quoted, escaped, last, start = state[0], state[1], state[2], state[3], state[4], state[5]
    count = 0
    while at < data.size and count < starts.size:
        byte = data[at]
        breaks = byte == 10 or byte == 13
        ended = -1
        if mode == _IN_OBJECT and quoted:
            if escaped:
                escaped = 0
            elif byte == 92:
                escaped = 1
            elif byte == 34:
                quoted = 0
                last = 34
            if breaks:
                ended = DAMAGED
                mode = _OUTSIDE
            at += 1
        elif byte == 32 or byte == 9 or (breaks and mode == _IN_OBJECT):
            at += 1
        elif mode == _OUTSIDE:
            if byte == 123:
                mode = _IN_OBJECT
                start = offset + at
                depth, quoted, escaped, last = 1, 0, 0, 123
                stack[0] = 123
                at += 1
            elif breaks or byte == 44 or byte == 91 or byte == 93 or byte == 30:
                at += 1
            else:
                mode = _IN_OTHER
                start = offset + at
                quoted = 0
        elif mode == _IN_OTHER:
            if byte == 34:
                quoted = 1 - quoted
            if breaks or (not quoted and (byte == 44 or byte == 93 or byte == 123)):
                ended = OTHER
                mode = _OUTSIDE
            else:
                at += 1
        elif mode == _PASSING:
            if breaks or (byte == 123 and last == 125):
                mode = _OUTSIDE
            else:
                if byte != 44:
                    last = byte
                at += 1
        elif byte == 123 or byte == 91:
            within = stack[depth - 1] == 123
            fits = last == 58 if within else last == 91 or last == 44
            if not fits or depth == stack.size:
                ended = DAMAGED
                mode = _OUTSIDE if byte == 123 and not fits else _PASSING
            else:
                stack[depth] = byte
                depth += 1
                at += 1
            last = byte
        elif byte == 125 or byte == 93:
            fits = stack[depth - 1] == byte - 2
            depth -= 1
            last = byte
            at += 1
            if not fits:
                ended = DAMAGED
                mode = _PASSING
            elif depth == 0:
                ended = OBJECT
                mode = _OUTSIDE
        else:
            quoted = byte == 34
            last = byte
            at += 1
        if ended >= 0:
            starts[count] = start
            stops[count] = offset + at
            kinds[count] = ended
            count += 1
    state[0], state[1], state[2], state[3], state[4], state[5] = mode, depth, quoted, escaped, last, start
    return at, count

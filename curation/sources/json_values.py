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
from curation.text.kernels.compiler.kernel import Byte, Int, Out, kernel

BLOCK_BYTES = 8 << 20
DEEPEST = 4096  # brackets; an object with more is damaged
OBJECT, DAMAGED, OTHER = range(3)  # kinds of values: an object, one that is cut off, and what is no object
NONE = -1  # no value ends
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
    rest = _fed(scan, held, base, scanned)
    found = zip(rest, scan.ended(base + len(held)), strict=True)
    last = _Values(*map(np.concatenate, found))
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
    data = held[int(starts[0]) - base : int(stops[-1]) - base]
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
    count = 0
    while at < data.size and count < starts.size:
        mode = state[_MODE]
        if mode == _IN_OBJECT and state[_QUOTED]:
            while not state[_ESCAPED] and at + 1 < data.size and _is_plain(data[at]):
                at += 1
            ended, step = _within_string(data[at], state)
        elif mode == _IN_OBJECT:
            ended, step = _within_object(data[at], state, stack)
        elif mode == _OUTSIDE:
            ended, step = _between(data[at], offset + at, state, stack)
        elif mode == _IN_OTHER:
            ended, step = _within_other(data[at], state)
        else:
            ended, step = _behind_damage(data[at], state)
        at += step
        if ended >= 0:
            starts[count] = state[_START]
            stops[count] = offset + at
            kinds[count] = ended
            count += 1
    return at, count


# Each takes a byte; returns the kind of the value that ends before the next byte, or NONE, and whether the byte is done
# with (1) or to be looked at again (0).


@kernel
def _is_plain(byte: Byte) -> bool:
    return bool(byte != 34 and byte != 92 and byte != 10 and byte != 13)


@kernel
def _breaks(byte: Byte) -> bool:
    return bool(byte == 10 or byte == 13)


@kernel
def _between(byte: Byte, place: Int, state: Out[Indices], stack: Out[Bytes]) -> tuple[Int, Int]:
    """Between values."""
    if byte == 123:
        state[_MODE] = _IN_OBJECT
        state[_START] = place
        state[_DEPTH] = 1
        state[_QUOTED] = 0
        state[_ESCAPED] = 0
        state[_LAST] = 123
        stack[0] = 123
        return NONE, 1
    if _breaks(byte) or byte == 32 or byte == 9 or byte == 44 or byte == 91 or byte == 93 or byte == 30:
        return NONE, 1
    if byte == 239 or byte == 187 or byte == 191:  # of a byte order mark
        return NONE, 1
    state[_MODE] = _IN_OTHER
    state[_START] = place
    state[_QUOTED] = 0
    return NONE, 0


@kernel
def _within_string(byte: Byte, state: Out[Indices]) -> tuple[Int, Int]:
    """Within a string of an object, where no line may break."""
    if _breaks(byte):
        state[_MODE] = _OUTSIDE
        return DAMAGED, 1
    if state[_ESCAPED]:
        state[_ESCAPED] = 0
    elif byte == 92:
        state[_ESCAPED] = 1
    elif byte == 34:
        state[_QUOTED] = 0
        state[_LAST] = 34
    return NONE, 1


@kernel
def _within_object(byte: Byte, state: Out[Indices], stack: Out[Bytes]) -> tuple[Int, Int]:
    """Within an object, outside its strings."""
    if byte == 32 or byte == 9 or _breaks(byte):
        return NONE, 1
    if byte == 123 or byte == 91:
        return _opened(byte, state, stack)
    if byte == 125 or byte == 93:
        return _closed(byte, state, stack)
    state[_QUOTED] = byte == 34
    state[_LAST] = byte
    return NONE, 1


@kernel
def _opened(byte: Byte, state: Out[Indices], stack: Out[Bytes]) -> tuple[Int, Int]:
    """A bracket within an object. A value may begin behind a colon or, in an array, its bracket or a comma; an object
    that begins elsewhere is the next one, as the end of this is missing."""
    depth = state[_DEPTH]
    last = state[_LAST]
    fits = last == 58 if stack[depth - 1] == 123 else last == 91 or last == 44
    state[_LAST] = byte
    if not fits or depth == stack.size:
        state[_MODE] = _OUTSIDE if byte == 123 and not fits else _PASSING
        return DAMAGED, 0
    stack[depth] = byte
    state[_DEPTH] = depth + 1
    return NONE, 1


@kernel
def _closed(byte: Byte, state: Out[Indices], stack: Out[Bytes]) -> tuple[Int, Int]:
    depth = state[_DEPTH] - 1
    state[_DEPTH] = depth
    state[_LAST] = byte
    if stack[depth] != byte - 2:
        state[_MODE] = _PASSING
        return DAMAGED, 1
    if depth:
        return NONE, 1
    state[_MODE] = _OUTSIDE
    return OBJECT, 1


@kernel
def _within_other(byte: Byte, state: Out[Indices]) -> tuple[Int, Int]:
    """Within what is no object, until the next line, item or object."""
    if byte == 34:
        state[_QUOTED] = 1 - state[_QUOTED]
    if _breaks(byte) or (not state[_QUOTED] and (byte == 44 or byte == 93 or byte == 123)):
        state[_MODE] = _OUTSIDE
        return OTHER, 0
    return NONE, 1


@kernel
def _behind_damage(byte: Byte, state: Out[Indices]) -> tuple[Int, Int]:
    """Until the next line, or an object that stands behind another one."""
    if _breaks(byte) or (byte == 123 and state[_LAST] == 125):
        state[_MODE] = _OUTSIDE
        return NONE, 0
    if byte != 44 and byte != 32 and byte != 9:
        state[_LAST] = byte
    return NONE, 1

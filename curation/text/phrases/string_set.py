"""A set of byte strings in which kernels look up spans of text: millions of entries, about 30 bytes each.

An entry is found by its 64-bit hash and then compared byte by byte, so equal hashes never confuse two strings.
E entries, S slots.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from curation.text.kernels.blocks import stands_at
from curation.text.kernels.buffers import Bytes, Indices, offsets_of, text_buffers
from curation.text.kernels.compiler.kernel import Int, Out, kernel, read_only
from curation.text.kernels.hashing import Hashes, hash_bytes

_TAG = np.uint64(0xFFFFFFFF00000000)  # upper half of a slot: the upper half of the entry's hash
_NUMBER = np.uint64(0xFFFFFFFF)  # lower half: the entry's number plus 1; 0 in an empty slot
_MOST = (1 << 32) - 2


class Entries(NamedTuple):
    """The strings data[offsets[e]:offsets[e + 1]], int64[E + 1] offsets, and uint64[S] slots. Of equal strings the
    first is found."""

    data: Bytes
    offsets: Indices
    slots: Hashes

    @property
    def total(self) -> int:
        return len(self.offsets) - 1

    @property
    def longest(self) -> int:
        """Bytes of the longest entry."""
        return int(np.diff(self.offsets).max(initial=0))

    def names(self, numbers: Indices) -> pa.Array:
        """string[N]: the entries of these numbers, null for -1; invalid UTF-8 is replaced."""
        chosen = pa.array(numbers, mask=numbers < 0)
        values = pa.Array.from_buffers(
            pa.large_binary(), self.total, [None, pa.py_buffer(self.offsets), pa.py_buffer(self.data)]
        ).take(chosen)
        try:
            return values.cast(pa.string())
        except pa.ArrowInvalid:
            texts = [value if value is None else value.decode("utf-8", "replace") for value in values.to_pylist()]
            return pa.array(texts, pa.string())


def entries(strings: Iterable[str]) -> Entries:
    """The set of these strings."""
    return entries_of(*text_buffers(pa.array(list(strings), pa.large_string())))


def entries_of(data: Bytes, offsets: Indices) -> Entries:
    """The set of the strings data[offsets[e]:offsets[e + 1]]; an empty one is never found.

    Raises ValueError for more than 2^32 - 2 of them.
    """
    count = len(offsets) - 1
    if count > _MOST:
        raise ValueError(f"expected at most {_MOST:,} entries, got {count:,}")
    # The smallest power of two, at least 16, of which the entries fill at most three quarters.
    slots = np.zeros(1 << max(4, (-(-4 * count // 3) - 1).bit_length()), np.uint64)
    strings = read_only(Entries(data, offsets, slots))
    _fill(strings, slots)
    return strings


def joined(arrays: Sequence[tuple[Bytes, Indices]]) -> tuple[Bytes, Indices]:
    """Bytes and offsets of several arrays of strings put together; the offsets of each begin at 0."""
    data = np.concatenate([np.empty(0, np.uint8), *(data[: offsets[-1]] for data, offsets in arrays)])
    return data, offsets_of(np.concatenate([np.empty(0, np.int64), *(np.diff(offsets) for _, offsets in arrays)]))


@kernel
def _slot(data: Bytes, start: Int, stop: Int, value: np.uint64, entries: Entries) -> int:
    """The slot of the entry data[start:stop] with the hash `value`, or the free slot for it."""
    slots = entries.slots
    mask = entries.slots.size - 1
    at = np.int64(value) & mask
    while slots[at]:
        if slots[at] & _TAG == value & _TAG:
            entry = np.int64(slots[at] & _NUMBER) - 1
            first = entries.offsets[entry]
            last = entries.offsets[entry + 1]
            if last - first == stop - start and stands_at(data, start, stop, entries.data, first, last):
                break
        at = (at + 1) & mask
    return int(at)


@kernel
def find(data: Bytes, start: Int, stop: Int, entries: Entries) -> int:
    """The number of the entry data[start:stop]; -1 if there is none, or if it is empty."""
    if start >= stop:
        return -1
    slot = _slot(data, start, stop, hash_bytes(data, start, stop), entries)
    return int(np.int64(entries.slots[slot] & _NUMBER)) - 1


@kernel
def _fill(entries: Entries, slots: Out[Hashes]) -> None:
    """Fill the free `slots` of the entries; `slots` is a writable view of theirs."""
    for entry in range(entries.offsets.size - 1):
        start = entries.offsets[entry]
        stop = entries.offsets[entry + 1]
        if start < stop:
            value = hash_bytes(entries.data, start, stop)
            slot = _slot(entries.data, start, stop, value, entries)
            if slots[slot] == 0:
                slots[slot] = value & _TAG | np.uint64(entry + 1)


@kernel
def find_spans(data: Bytes, starts: Indices, stops: Indices, entries: Entries) -> Indices:
    """int64[N]: `find` of each span data[starts[n]:stops[n]]."""
    numbers = np.empty(starts.size, np.int64)
    for span in range(starts.size):
        numbers[span] = find(data, starts[span], stops[span], entries)
    return numbers

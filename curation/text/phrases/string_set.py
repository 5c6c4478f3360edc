"""A set of many byte strings that a kernel looks spans of text up in: millions of entries, about 30 bytes each.

An entry is found by a 64-bit hash and then compared byte by byte, so that no two different strings are ever taken for
one another, however their hashes fall. E entries, S slots.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.text.kernels.blocks import stands_at
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiled import Int, Out, kernel
from curation.text.kernels.hashing import Hashes, hash_bytes
from curation.text.kernels.views import read_only

_TAG = np.uint64(0xFFFFFFFF00000000)  # upper half of a slot: that of the entry's hash
_NUMBER = np.uint64(0xFFFFFFFF)  # lower half: the entry's number plus 1; 0 in an empty slot
_MOST = (1 << 32) - 2
_SMALLEST = 16


class Entries(NamedTuple):
    """The strings data[offsets[e]:offsets[e + 1]], int64[E + 1] offsets, and uint64[S] slots; of equal ones, the first
    is found. A kernel takes it as ENTRIES."""

    data: Bytes
    offsets: Indices
    slots: Hashes

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.offsets) - 1

    @property
    def longest(self) -> int:
        """Bytes of the longest entry."""
        return int(np.diff(self.offsets).max(initial=0))

    def names(self, found: npt.NDArray[np.int64]) -> pa.Array:
        """string[N]: the entries of these numbers, null for -1; bytes that are no UTF-8 are replaced."""
        chosen = pa.array(found, mask=found < 0)
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
    if len(offsets) - 1 > _MOST:
        raise ValueError(f"expected at most {_MOST:,} entries, got {len(offsets) - 1:,}")
    slots = np.zeros(_size(len(offsets) - 1), np.uint64)
    strings = read_only(Entries(data, offsets, slots))
    _fill(strings, slots)
    return strings


def joined(parts: Sequence[tuple[Bytes, Indices]]) -> tuple[Bytes, Indices]:
    """Bytes and offsets of several arrays of strings one after the other; each one's offsets begin at 0."""
    sizes = np.cumsum([0, *(int(offsets[-1]) for _, offsets in parts)])
    data = np.concatenate([np.empty(0, np.uint8), *(data[: offsets[-1]] for data, offsets in parts)])
    shifted = [offsets[1:] + size for (_, offsets), size in zip(parts, sizes[:-1], strict=True)]
    return data, np.concatenate([np.zeros(1, np.int64), *shifted])


def _size(count: int) -> int:
    """A power of two of which the entries fill at most three quarters."""
    size = _SMALLEST
    while size * 3 < count * 4:
        size *= 2
    return size


@kernel
def _slot(data: Bytes, start: Int, stop: Int, value: np.uint64, entries: Entries) -> int:
    """Where the entry data[start:stop] stands, by its hash, or the free slot where it would."""
    slots, mask = entries.slots, entries.slots.size - 1
    at = np.int64(value) & mask
    while slots[at]:
        if slots[at] & _TAG == value & _TAG:
            entry = np.int64(slots[at] & _NUMBER) - 1
            first, last = entries.offsets[entry], entries.offsets[entry + 1]
            if last - first == stop - start and stands_at(data, start, stop, entries.data, first, last):
                break
        at = (at + 1) & mask
    return int(at)


@kernel
def find(data: Bytes, start: Int, stop: Int, entries: Entries) -> int:
    """Number of the entry that data[start:stop] is; -1 where it is none, or empty."""
    if start >= stop:
        return -1
    slot = _slot(data, start, stop, hash_bytes(data, start, stop), entries)
    return int(np.int64(entries.slots[slot] & _NUMBER)) - 1


@kernel
def _fill(entries: Entries, slots: Out[Hashes]) -> None:
    """`slots` are those of the entries, all free."""
    for entry in range(entries.offsets.size - 1):
        start, stop = entries.offsets[entry], entries.offsets[entry + 1]
        if start < stop:
            value = hash_bytes(entries.data, start, stop)
            slot = _slot(entries.data, start, stop, value, entries)
            if slots[slot] == 0:
                slots[slot] = value & _TAG | np.uint64(entry + 1)


@kernel
def find_spans(data: Bytes, starts: Indices, stops: Indices, entries: Entries) -> Indices:
    """int64[N]: `find` of each span data[starts[n]:stops[n]]."""
    found = np.empty(starts.size, np.int64)
    for span in range(starts.size):
        found[span] = find(data, starts[span], stops[span], entries)
    return found

"""Winnowing: picks places of a text by its content alone, so that equal stretches of two texts share a place.

Source: Schleimer, Wilkerson and Aiken 2003, "Winnowing: Local Algorithms for Document Fingerprinting"
(doi:10.1145/872757.872770).

A window of m bytes holds m - k + 1 pieces of k = m // 2 bytes. Its anchor is the piece whose first eight bytes hash to
the least, the last such piece where several do. That depends on nothing but the window's own bytes, so equal windows
have equal anchors, and neighbouring windows mostly have the same one: about two anchors are new in every m - k + 2
bytes. The paper takes the least hash of whole pieces; with that of their beginnings only the pieces that are picked
need to be hashed as a whole. N documents, A anchors.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.text.kernels.blocks import address_of, load8
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiled import Int, Out, kernel
from curation.text.kernels.hashing import Hashes, hash_bytes

MIN_WINDOW = 16  # bytes: half of it is what a piece's place in the order depends on

_ODD = np.uint64(0xD6E8FEB86659FD93)
_LOW = np.uint64(0xFFFFFFFF)


@dataclass(frozen=True, eq=False)
class Anchors:
    """Anchors of N texts in text order, those of document d from first[d] to first[d + 1] - 1."""

    data: Bytes
    offsets: Indices  # int64[N + 1], of the texts in `data`
    hashes: Hashes  # uint64[A], of each anchor's k bytes
    starts: Indices  # int64[A]: the windows that have this anchor begin at bytes starts[a] …
    stops: Indices  # int64[A]: … to stops[a] - 1 of `data`
    first: Indices  # int64[N + 1]

    def rows(self) -> Indices:
        """int64[A]: each anchor's document."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))


def anchors(array: pa.Array | pa.ChunkedArray, window: int) -> Anchors:
    """The anchors of all windows of `window` bytes, at least MIN_WINDOW, of text[N].

    Each window has one, and each anchor stands for one or more windows in a row, neighbours for different bytes. A text
    of fewer bytes than a window has none.
    """
    data, offsets = text_buffers(array)
    first = np.zeros(len(offsets), np.int64)
    # No more anchors than windows. What stays unused of these arrays is never touched and so takes no memory.
    most = int(np.maximum(np.diff(offsets) - window + 1, 0).sum())
    hashes, starts, stops = np.empty(most, np.uint64), np.empty(most, np.int64), np.empty(most, np.int64)
    found = _find_anchors(data, offsets, window, hashes, starts, stops, first)
    return Anchors(data, offsets, hashes[:found], starts[:found], stops[:found], first)


def distinct(found: Anchors) -> tuple[Hashes, Indices]:
    """(uint64[D] hashes, int64[D] rows): every anchor of a document once, by row and hash."""
    hashes, first = found.hashes.copy(), np.zeros_like(found.first)
    count = _distinct(hashes, found.first, first)
    return hashes[:count], np.repeat(np.arange(len(first) - 1), np.diff(first))


def listed(hashes: Hashes, ordered: Hashes) -> npt.NDArray[np.bool_]:
    """bool[A]: which of `hashes` are among `ordered`, which ascends."""
    found = np.zeros(len(hashes), np.bool_)
    _listed(hashes, ordered, found)
    return found


@kernel
def _order(address: np.uint64, begin: Int, at: Int) -> np.uint64:
    """What orders a text's pieces: 32 bits of their first eight bytes' hash, and under it how near the end they are."""
    hashed = load8(address + np.uint64(at)) * _ODD
    return hashed & ~_LOW | ~np.uint64(at - begin) & _LOW


@kernel
def _find_anchors(
    data: Bytes,
    offsets: Indices,
    window: int,
    hashes: Out[Hashes],
    starts: Out[Indices],
    stops: Out[Indices],
    first: Out[Indices],
) -> Int:
    """Fill the parts of `Anchors`; how many there are."""
    piece, found, address = window // 2, 0, address_of(data)
    reach = window - piece
    for document in range(offsets.size - 1):
        begin, last = offsets[document], offsets[document + 1] - window
        at, least = np.int64(-1), np.uint64(0)
        for start in range(begin, last + 1):
            order = _order(address, begin, start + reach)
            if at < start:  # the anchor is left behind
                least = order
                for other in range(start, start + reach):
                    least = min(least, _order(address, begin, other))
            elif order < least:
                least = order
            else:
                continue
            at = begin + np.int64(~least & _LOW)
            hashed = hash_bytes(data, at, at + piece)
            if found > first[document]:
                if hashed == hashes[found - 1]:  # as often where a text repeats itself
                    continue
                stops[found - 1] = start
            hashes[found], starts[found], stops[found] = hashed, start, last + 1
            found += 1
        first[document + 1] = found
    return found


@kernel
def _distinct(hashes: Out[Hashes], first: Indices, kept: Out[Indices]) -> Int:
    """Sort each document's hashes and keep one of equal ones in place; `kept` becomes where each document's begin."""
    found = 0
    for document in range(first.size - 1):
        mine = hashes[first[document] : first[document + 1]]
        mine.sort()
        for k in range(mine.size):
            value = mine[k]
            if k == 0 or value != hashes[found - 1]:
                hashes[found] = value
                found += 1
        kept[document + 1] = found
    return found


@kernel
def _first_from(value: np.uint64, ordered: Hashes, left: Int, right: Int) -> Int:
    """The first place of ordered[left:right] whose hash is not less than `value`; `right` where there is none."""
    while left < right:
        middle = (left + right) // 2
        if ordered[middle] < value:
            left = middle + 1
        else:
            right = middle
    return left


@kernel
def _listed(hashes: Hashes, ordered: Hashes, found: Out[npt.NDArray[np.bool_]]) -> None:
    """Hashes spread evenly, so that a value tells about where it stands: steps that double from there enclose it."""
    size, scale = ordered.size, 2.0**-64 * ordered.size
    for k in range(hashes.size if size else 0):
        value = hashes[k]
        guess = min(int(float(value) * scale), size - 1)
        left = max(min(guess + int((float(value) - float(ordered[guess])) * scale), size), 0)
        right, step = left, 8
        while left > 0 and ordered[left - 1] >= value:
            right = left - 1
            left = max(left - step, 0)
            step *= 2
        while right < size and ordered[right] < value:
            left = right + 1
            right = min(right + step, size)
            step *= 2
        at = _first_from(value, ordered, left, right)
        found[k] = at < size and ordered[at] == value

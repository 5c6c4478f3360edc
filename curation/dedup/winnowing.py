"""Winnowing: picks places of a text by content alone, so that equal stretches of two texts share a place.

Source: Schleimer, Wilkerson and Aiken 2003, "Winnowing: Local Algorithms for Document Fingerprinting"
(doi:10.1145/872757.872770).

A window of m bytes holds m - k + 1 pieces of k = m // 2 bytes. Its anchor is the piece whose first eight bytes have the
least hash, the last such piece in a tie. It depends only on the window's own bytes, so equal windows have equal
anchors, and neighbouring windows mostly share theirs: about two anchors are new in every m - k + 2 bytes. The paper
takes the least hash of whole pieces; hashing only their beginnings leaves just the anchors to be hashed as a whole. N
documents, A anchors.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.instructions import address_of, load8
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.hashing import Hashes, hash_bytes
from curation.text.matches import Bools

MIN_WINDOW = 16  # bytes: a piece is half a window, and is ordered by its first eight bytes

_ODD = np.uint64(0xD6E8FEB86659FD93)
_LOW = np.uint64(0xFFFFFFFF)


@dataclass(frozen=True, eq=False)
class Anchors:
    """Anchors of N texts in text order, those of document d from first[d] to first[d + 1] - 1."""

    data: Bytes
    offsets: Indices  # int64[N + 1], of the texts in `data`
    hashes: Hashes  # uint64[A], of each anchor's k bytes
    starts: Indices  # int64[A]: the windows with this anchor begin at bytes starts[a] …
    stops: Indices  # int64[A]: … to stops[a] - 1 of `data`
    first: Indices  # int64[N + 1]

    def rows(self) -> Indices:
        """int64[A]: each anchor's document."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))


def anchors(array: pa.Array | pa.ChunkedArray, window: int) -> Anchors:
    """The anchors of all windows of `window` bytes, at least MIN_WINDOW, of text[N].

    Each window has one anchor, which may stand for several windows in a row. Neighbouring anchors have different bytes.
    A text shorter than a window has none.
    """
    data, offsets = text_buffers(array)
    first = np.zeros(len(offsets), np.int64)
    # No more anchors than windows. The unused end of these arrays is never touched and so takes no memory.
    most = int(np.maximum(np.diff(offsets) - window + 1, 0).sum())
    hashes = np.empty(most, np.uint64)
    starts = np.empty(most, np.int64)
    stops = np.empty(most, np.int64)
    count = _find_anchors(data, offsets, window, hashes, starts, stops, first)
    return Anchors(data, offsets, hashes[:count], starts[:count], stops[:count], first)


def distinct(all_anchors: Anchors) -> tuple[Hashes, Indices]:
    """(uint64[D] hashes, int64[D] rows): each document's different anchors, by row and hash."""
    hashes = all_anchors.hashes.copy()
    first = np.zeros_like(all_anchors.first)
    count = _distinct(hashes, all_anchors.first, first)
    return hashes[:count], np.repeat(np.arange(len(first) - 1), np.diff(first))


def listed(hashes: Hashes, ordered: Hashes) -> Bools:
    """bool[A]: which of `hashes` are among `ordered`, which ascends."""
    mask = np.zeros(len(hashes), np.bool_)
    _listed(hashes, ordered, mask)
    return mask


@kernel
def _order(address: np.uint64, begin: Int, at: Int) -> np.uint64:
    """The order of a text's pieces: 32 bits of the hash of their first eight bytes, then the later one first."""
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
    """Fill the arrays of `Anchors`; returns how many there are."""
    piece = window // 2
    count = 0
    address = address_of(data)
    reach = window - piece
    for document in range(offsets.size - 1):
        begin = offsets[document]
        last = offsets[document + 1] - window
        at = np.int64(-1)
        least = np.uint64(0)
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
            if count > first[document]:
                if hashed == hashes[count - 1]:  # common where a text repeats itself
                    continue
                stops[count - 1] = start
            hashes[count] = hashed
            starts[count] = start
            stops[count] = last + 1
            count += 1
        first[document + 1] = count
    return count


@kernel
def _distinct(hashes: Out[Hashes], first: Indices, kept: Out[Indices]) -> Int:
    """Sort each document's hashes and drop repeats, in place; `kept` becomes where each document's hashes begin."""
    count = 0
    for document in range(first.size - 1):
        mine = hashes[first[document] : first[document + 1]]
        mine.sort()
        for k in range(mine.size):
            value = mine[k]
            if k == 0 or value != hashes[count - 1]:
                hashes[count] = value
                count += 1
        kept[document + 1] = count
    return count


@kernel
def _first_from(value: np.uint64, ordered: Hashes, left: Int, right: Int) -> Int:
    """The first place in ordered[left:right] whose hash is not below `value`; `right` if there is none."""
    while left < right:
        middle = (left + right) // 2
        if ordered[middle] < value:
            left = middle + 1
        else:
            right = middle
    return left


@kernel
def _listed(hashes: Hashes, ordered: Hashes, mask: Out[Bools]) -> None:
    """Hashes are spread evenly, so a value tells roughly where it is: doubling steps from there enclose it."""
    size = ordered.size
    scale = 2.0**-64 * ordered.size
    for k in range(hashes.size if size else 0):
        value = hashes[k]
        guess = min(int(float(value) * scale), size - 1)
        left = max(min(guess + int((float(value) - float(ordered[guess])) * scale), size), 0)
        right = left
        step = 8
        while left > 0 and ordered[left - 1] >= value:
            right = left - 1
            left = max(left - step, 0)
            step *= 2
        while right < size and ordered[right] < value:
            left = right + 1
            right = min(right + step, size)
            step *= 2
        at = _first_from(value, ordered, left, right)
        mask[k] = at < size and ordered[at] == value

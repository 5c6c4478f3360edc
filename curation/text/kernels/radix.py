"""The order of rows by columns of numbers: a radix sort, digit by digit from the last, which skips digits that all rows
have in common. Two to four times as fast as `np.lexsort` on hashes and documents' ids."""

from typing import Any

import numpy as np
import numpy.typing as npt

from curation.text.kernels.buffers import Indices
from curation.text.kernels.compiler.kernel import Out, kernel
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import GOLDEN

_SIGN = np.uint64(1 << 63)
# of a digit; digits of 64 bits
_BITS = 11
_DIGITS = 6
_MASK = np.uint64((1 << _BITS) - 1)
_WIDTH = np.uint64(_BITS)


def order_by(*columns: npt.NDArray[Any]) -> Indices:
    """int64[N]: the rows sorted by the columns, whole numbers[N] each, of which the first weighs most; equal rows stay
    in their order."""
    order = np.arange(len(columns[0]))
    spare = np.empty_like(order)
    spare_values = np.empty(len(order), np.uint64)
    varying = [column for column in columns if (column != column[:1]).any()]
    for column in reversed(varying):
        values = column[order]
        if _sort(_unsigned(values), order, spare_values, spare):
            order, spare = spare, order
    return order


def _unsigned(values: npt.NDArray[Any]) -> Hashes:
    """A copy as numbers without a sign, in the same order."""
    if values.dtype.kind == "i":
        return values.astype(np.int64).view(np.uint64) ^ _SIGN
    return values.astype(np.uint64)


@kernel
def _sort(values: Out[Hashes], order: Out[Indices], spare_values: Out[Hashes], spare: Out[Indices]) -> bool:
    """Sort `order` by `values`, both [N]; all four are overwritten. Returns whether `spare` holds the result."""
    counts = np.zeros((_DIGITS, 1 << _BITS), np.int64)
    swapped = False
    for value in values:
        rest = value
        for digit in range(_DIGITS):
            counts[digit, np.int64(rest & _MASK)] += 1
            rest >>= _WIDTH
    for digit in range(_DIGITS):
        shift = np.uint64(digit) * _WIDTH
        at = counts[digit]
        total = np.int64(0)
        if at[np.int64(values[0] >> shift & _MASK)] == values.size:
            continue
        for number in range(at.size):
            total, at[number] = total + at[number], total
        for row in range(values.size):
            slot = np.int64(values[row] >> shift & _MASK)
            place = at[slot]
            spare_values[place] = values[row]
            spare[place] = order[row]
            at[slot] = place + 1
        values, spare_values = spare_values, values
        order, spare = spare, order
        swapped = not swapped
    return swapped


@kernel
def perhaps_repeated(values: Hashes) -> Indices:
    """int64[M]: the places, ascending, of all of values[N] that occur more than once, and of some that do not: one in
    five at most of well-mixed ones."""
    bits = 12
    while 1 << bits < 4 * values.size:
        bits += 1
    shift = np.uint64(64 - bits)
    seen = np.zeros(1 << bits, np.uint8)
    repeated = 0
    for value in values:
        slot = np.int64(value * GOLDEN >> shift)
        seen[slot] = min(seen[slot] + 1, 2)
    for value in values:
        repeated += seen[np.int64(value * GOLDEN >> shift)] == 2
    places = np.empty(repeated, np.int64)
    count = 0
    for place in range(values.size):
        if seen[np.int64(values[place] * GOLDEN >> shift)] == 2:
            places[count] = place
            count += 1
    return places

"""Tokens as fastText and KenLM read them: runs of bytes without ASCII whitespace or NUL, found 64 bytes at a time."""

import numpy as np

from curation.text.kernels.blocks import BLOCK, first_bits, window
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.instructions import below, equal, lowest, ones
from curation.text.kernels.compiler.kernel import Int, Out, kernel

PIECE = 2048  # bytes that are split at a time; a multiple of BLOCK
BOUNDS = PIECE + 16  # an open token, a bound per byte, the last end, and eight to spare
_ONE = np.uint64(1)


@kernel
def split(data: Bytes, at: Int, stop: Int, filled: Int, bounds: Out[Indices], pad: Out[Bytes]) -> Int:
    """Write where the tokens in the next piece of data[at:stop] begin and end to `bounds` int64[BOUNDS], after the
    first `filled`, which is 1 where a token is open and 0 otherwise. Returns how many bounds there are; an odd number
    leaves a token open. `pad`: see `window`.

    Eight bounds are written at a time, since a loop over their exact number would be mispredicted; the next ones
    overwrite any excess.
    """
    end = min(stop, at + PIECE)
    inside = np.uint64(filled)
    while at < end:
        address = window(data, at, pad)
        blank = equal(address, 32) | below(address, 14) & ~below(address, 9) | equal(address, 0)
        tokens = ~blank & first_bits(stop - at)
        edges = tokens ^ (tokens << _ONE | inside)
        first = filled
        filled = filled + ones(edges)
        while first < filled:
            for k in range(8):
                bounds[first + k] = at + lowest(edges)
                edges &= edges - _ONE
            first += 8
        inside = tokens >> np.uint64(63)
        at += BLOCK
    if at >= stop and filled & 1:
        bounds[filled] = stop
        filled += 1
    return filled

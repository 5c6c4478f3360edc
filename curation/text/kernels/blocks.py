"""Text compared 64 bytes at a time: each comparison gives a uint64 in which bit k stands for byte k of the block.

A kernel that walks over the set bits touches only the bytes that matter and has no branch per byte.
"""

import numpy as np

from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.instructions import address_of, below, equal, load1, load8, move, ones
from curation.text.kernels.compiler.kernel import Int, Out, kernel

BLOCK = 64
REACH = 72  # bytes that may be read from a block's address: the block and the few bytes after it

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_TWO = np.uint64(2)


@kernel
def copy_bytes(data: Bytes, start: Int, stop: Int, out: Out[Bytes], to: Int) -> Int:
    """Copy data[start:stop] to out[to:]. Returns where the copy ends in `out`."""
    return to + move(address_of(out) + np.uint64(to), address_of(data) + np.uint64(start), stop - start)


@kernel
def gather(data: Bytes, starts: Indices, stops: Indices) -> tuple[Bytes, Indices]:
    """The spans data[starts[s]:stops[s]] put together: their bytes, and offsets int64[S + 1]."""
    offsets = np.zeros(starts.size + 1, np.int64)
    offsets[1:] = np.cumsum(stops - starts)
    out = np.empty(offsets[-1], np.uint8)
    for span in range(starts.size):
        copy_bytes(data, starts[span], stops[span], out, offsets[span])
    return out, offsets


@kernel
def stands_at(data: Bytes, at: Int, stop: Int, others: Bytes, first: Int, last: Int) -> bool:
    """Whether data[at:stop] begins with others[first:last]."""
    if at + last - first > stop:
        return False
    for k in range(last - first):  # noqa: SIM110  a generator does not compile
        if data[at + k] != others[first + k]:
            return False
    return True


@kernel
def eight_bytes(base: np.uint64, at: Int, count: Int, size: Int) -> np.uint64:
    """`count` bytes (1 to 8) from byte `at` as a little-endian number; the array has `size` bytes at address `base`."""
    mask = ~_ZERO >> np.uint64(64 - 8 * count)
    if at + 8 <= size:
        return load8(base + np.uint64(at)) & mask
    if size >= 8:
        return load8(base + np.uint64(size - 8)) >> np.uint64(8 * (at + 8 - size)) & mask
    value = _ZERO
    for k in range(count):
        value |= np.uint64(load1(base + np.uint64(at + k))) << np.uint64(8 * k)
    return value


@kernel
def first_bits(count: Int) -> np.uint64:
    """A mask of the lowest `count` bits: none for a negative count, all from 64."""
    if count >= BLOCK:
        return ~_ZERO
    return (_ONE << np.uint64(max(count, 0))) - _ONE


@kernel
def window(data: Bytes, at: Int, pad: Out[Bytes]) -> np.uint64:
    """An address at which REACH bytes can be read: that of byte `at`, or at the end of `data` that of a copy in `pad`.

    The copy is padded with zeros. `pad`, uint8[REACH], must outlive every read from the address, which the compiler
    does not know: allocate it outside the loop.
    """
    if at + REACH <= data.size:
        return address_of(data) + np.uint64(at)
    for k in range(REACH):
        pad[k] = data[at + k] if at + k < data.size else 0
    return address_of(pad)


@kernel
def space_bits(address: np.uint64, left: Int) -> tuple[np.uint64, np.uint64]:
    """The bytes of whitespace characters (those of str.split()) in a block, and those that spill into the next block.

    Only characters that end by byte `left` count.
    """
    bits = equal(address, 0x20) | below(address, 0x0E) & ~below(address, 0x09)
    bits = (bits | below(address, 0x20) & ~below(address, 0x1C)) & first_bits(left)
    c2 = equal(address, 0xC2)
    e1 = equal(address, 0xE1)
    e2 = equal(address, 0xE2)
    e3 = equal(address, 0xE3)
    if c2 | e1 | e2 | e3 == _ZERO:
        return bits, _ZERO
    second = address + _ONE
    third = address + _TWO
    two = c2 & (equal(second, 0x85) | equal(second, 0xA0)) & first_bits(left - 1)
    zero = equal(second, 0x80)
    at_80 = equal(third, 0x80)
    general = below(third, 0x8B) & ~below(third, 0x80) | equal(third, 0xA8) | equal(third, 0xA9) | equal(third, 0xAF)
    three = e2 & (zero & general | equal(second, 0x81) & equal(third, 0x9F))
    three |= at_80 & (e3 & zero | e1 & equal(second, 0x9A))
    three &= first_bits(left - 2)
    leads = two | three
    return bits | leads | leads << _ONE | three << _TWO, leads >> np.uint64(63) | three >> np.uint64(62)


@kernel
def character_bits(address: np.uint64) -> np.uint64:
    """The bytes of a block that begin a character, that is, all but continuation bytes."""
    return ~(below(address, 0xC0) & ~below(address, 0x80))


@kernel
def characters_in(data: Bytes, start: Int, stop: Int, pad: Out[Bytes]) -> int:
    """Characters of data[start:stop]."""
    count = 0
    while start < stop:
        count += ones(character_bits(window(data, start, pad)) & first_bits(stop - start))
        start += BLOCK
    return count

"""Hashes of text: 64 bits for words and look-ups, 128 bits for the identity of documents.

`hash64` is MurmurHash64A, `hash128` MurmurHash3 x64 128, both by Austin Appleby and in the public domain, both with
seed 0 and little-endian. They do not resist texts made to collide. Among a billion different texts, two share a 64-bit
hash with a probability of about 3 %, and a 128-bit hash with a probability of 10^-21.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.text.kernels.blocks import eight_bytes
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.instructions import address_of, load8
from curation.text.kernels.compiler.kernel import Int, kernel
from curation.text.kernels.mix64 import murmur3

Hashes = npt.NDArray[np.uint64]

# Every constant is a uint64: Numba turns uint64 with int64 into float64.
_M = np.uint64(0xC6A4A7935BD1E995)
_C1 = np.uint64(0x87C37B91114253D5)
_C2 = np.uint64(0x4CF5AD432745937F)
_ADD1 = np.uint64(0x52DCE729)
_ADD2 = np.uint64(0x38495AB5)
_FIVE = np.uint64(5)
_ZERO = np.uint64(0)


def hash64(array: pa.Array | pa.ChunkedArray) -> Hashes:
    """uint64[N]: the hash of each text's bytes; null and empty hash to 0."""
    data, offsets = text_buffers(array)
    return hash_spans(data, offsets[:-1], offsets[1:])


def hash128(array: pa.Array | pa.ChunkedArray) -> tuple[Hashes, Hashes]:
    """(hi uint64[N], lo uint64[N]): the hash of each text's bytes, hi its first half; null and empty hash to 0, 0."""
    return _hash128(*text_buffers(array))


@kernel
def hash_bytes(data: Bytes, start: Int, stop: Int) -> np.uint64:
    """MurmurHash64A of data[start:stop]; 0 if empty."""
    value = np.uint64(stop - start) * _M
    base = address_of(data)
    at = start
    while at + 8 <= stop:
        block = load8(base + np.uint64(at)) * _M
        block ^= block >> np.uint64(47)
        value = (value ^ (block * _M)) * _M
        at += 8
    if at < stop:
        value = (value ^ eight_bytes(base, at, stop - at, data.size)) * _M
    value = (value ^ (value >> np.uint64(47))) * _M
    return value ^ (value >> np.uint64(47))


@kernel
def hash_spans(data: Bytes, starts: Indices, stops: Indices) -> Hashes:
    """uint64[S]: `hash_bytes` of each span data[starts[s]:stops[s]]."""
    hashes = np.empty(starts.size, np.uint64)
    for span in range(starts.size):
        hashes[span] = hash_bytes(data, starts[span], stops[span])
    return hashes


@kernel
def _rotate(value: np.uint64, bits: int) -> np.uint64:
    return value << np.uint64(bits) | value >> np.uint64(64 - bits)


@kernel
def hash128_bytes(data: Bytes, start: int, stop: int) -> tuple[np.uint64, np.uint64]:
    """MurmurHash3 x64 128 of data[start:stop], first half first; 0, 0 if empty."""
    hi = _ZERO
    lo = _ZERO
    base = address_of(data)
    at = start
    while at + 16 <= stop:
        hi ^= _rotate(load8(base + np.uint64(at)) * _C1, 31) * _C2
        hi = (_rotate(hi, 27) + lo) * _FIVE + _ADD1
        lo ^= _rotate(load8(base + np.uint64(at + 8)) * _C2, 33) * _C1
        lo = (_rotate(lo, 31) + hi) * _FIVE + _ADD2
        at += 16
    if at + 8 < stop:
        lo ^= _rotate(eight_bytes(base, at + 8, stop - at - 8, data.size) * _C2, 33) * _C1
    if at < stop:
        hi ^= _rotate(eight_bytes(base, at, min(8, stop - at), data.size) * _C1, 31) * _C2
    size = np.uint64(stop - start)
    hi = hi ^ size
    lo = lo ^ size
    hi += lo
    lo += hi
    hi = murmur3(hi)
    lo = murmur3(lo)
    hi += lo
    return hi, lo + hi


@kernel
def _hash128(data: Bytes, offsets: Indices) -> tuple[Hashes, Hashes]:
    hi = np.empty(offsets.size - 1, np.uint64)
    lo = np.empty(offsets.size - 1, np.uint64)
    for document in range(offsets.size - 1):
        hi[document], lo[document] = hash128_bytes(data, offsets[document], offsets[document + 1])
    return hi, lo

"""The hash by which texts are compared: MurmurHash3-128 of the normal form (see `normalize`).

Among ten billion documents a few pairs share a 64-bit hash by chance; the odds that any share one of 128 bits are
10^-19.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.text.kernels.buffers import text_buffers
from curation.text.kernels.hashing import Hashes, hash128
from curation.text.normalize import normalized

DIGITS = 32  # of a hash


def text_keys(texts: pa.Array | pa.ChunkedArray) -> tuple[Hashes, Hashes, npt.NDArray[np.bool_]]:
    """(hi uint64[N], lo uint64[N], bool[N]): each text's hash, and whether its normal form is not empty."""
    forms = normalized(texts)
    _, offsets = text_buffers(forms)
    return *hash128(forms), np.diff(offsets) > 0


def text_hashes(texts: pa.Array | pa.ChunkedArray) -> pa.Array:
    """string[N]: each text's hash as 32 hex digits, null if its normal form is empty."""
    return hex_digits(*text_keys(texts))


def hex_digits(hi: Hashes, lo: Hashes, present: npt.NDArray[np.bool_]) -> pa.Array:
    """string[N]: each hash of uint64[N] and uint64[N] as 32 hex digits, null where it is not present."""
    digits = np.stack([hi, lo], axis=1).astype(">u8").tobytes().hex().encode()
    offsets = np.arange(len(hi) + 1, dtype=np.int32) * DIGITS
    buffers = [pa.array(present).buffers()[1], pa.py_buffer(offsets), pa.py_buffer(digits)]
    return pa.Array.from_buffers(pa.string(), len(hi), buffers)

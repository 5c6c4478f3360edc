"""Halves of documents, each of which teaches a model that judges the other half."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.text.kernels.hashing import hash64
from curation.text.kernels.mix64 import splitmix64_each

_KEY = np.uint64(0x9D3C_5A71_E84F_2B06)  # so that the halves have nothing to do with other draws by the hash of a text


def half_of(text: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.uint8]:
    """uint8[N]: 0 or 1 for text[N], the same for equal texts."""
    return (splitmix64_each(hash64(text) ^ _KEY) >> np.uint64(63)).astype(np.uint8)

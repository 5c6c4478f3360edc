"""Reads NumPy's .npy files of numbers, a row for each of N things; anything else is refused in one line."""

import io

import numpy as np
import numpy.typing as npt

from curation.core import storage

_MAGIC = b"\x93NUMPY"


def read_floats(uri: str) -> npt.NDArray[np.floating]:
    """float[N, D] of whichever width. Raises ValueError where the file holds no such array."""
    content = storage.read_bytes(uri)
    if not content.startswith(_MAGIC):
        raise ValueError("it does not begin as a .npy file")
    array: npt.NDArray[np.floating] = np.load(io.BytesIO(content), allow_pickle=False)
    if array.ndim != 2 or array.dtype.kind != "f":
        raise ValueError(f"expected a row of floats for each, got {array.dtype}{list(array.shape)}")
    return array

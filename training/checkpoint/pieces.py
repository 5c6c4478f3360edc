"""Where the pieces of tensors lie in the files of a checkpoint, kept as columns of whole numbers.

512 processes write a million pieces of a model of 70 B. As objects they took 1.5 GiB and half a minute to read; columns
of them are 100 MB, and 3 MB where zlib has packed them, because most rows are like those before them.
"""

import base64
import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

# int64[WIDTH, P]: of each of P pieces the number of its file and of its tensor, the byte of its file that it begins at,
# and its box of the tensor as `padded` gives it: where it starts along each dimension, and how long it is there.
Pieces = npt.NDArray[np.int64]
DIMENSIONS = 5  # of a tensor, at most
WIDTH = 3 + 2 * DIMENSIONS
MAX_BYTES = 2**30  # of all columns
FAST = 1  # level of zlib


def padded(start: Sequence[int], shape: Sequence[int]) -> list[int]:
    """A box as a tensor of DIMENSIONS dimensions has it: it starts at 0 and is 1 long along those that are missing."""
    missing = DIMENSIONS - len(start)
    return [*start, *[0] * missing, *shape, *[1] * missing]


def pack(pieces: Pieces) -> str:
    """In base64."""
    columns = pieces.astype("<i8")
    columns[2] = np.diff(columns[2], prepend=0)
    return base64.b64encode(zlib.compress(columns.tobytes(), FAST)).decode()


def unpack(packed: str) -> Pieces:
    """Takes no more memory than MAX_BYTES, whatever was packed. Raises ValueError for what `pack` does not write."""
    stream = zlib.decompressobj()
    try:
        numbers = stream.decompress(base64.b64decode(packed, validate=True), MAX_BYTES + 1)
    except zlib.error as error:
        raise ValueError(f"its pieces cannot be read: {error}") from error
    if len(numbers) > MAX_BYTES or not stream.eof or stream.unused_data or len(numbers) % (8 * WIDTH):
        raise ValueError(f"its pieces are not whole, or take more than {MAX_BYTES:,} bytes")
    columns = np.frombuffer(numbers, "<i8").reshape(WIDTH, -1).astype(np.int64)
    columns[2] = np.cumsum(columns[2])
    return columns


def misplaced(
    pieces: Pieces, sizes: Sequence[int], shapes: Sequence[Sequence[int]], items: Sequence[int]
) -> int | None:
    """The first piece that does not lie within its file and its tensor, by its place; None if all do. `sizes`: bytes of
    the files; `shapes` of the tensors, and `items`: bytes of an element."""
    files, tensors, at = pieces[:3]
    fits = (pieces >= 0).all(axis=0) & (files < len(sizes)) & (tensors < len(shapes))
    if fits.all() and fits.size:
        whole = np.array([padded([0] * len(shape), shape) for shape in shapes], np.int64)[:, DIMENSIONS:].T
        taken = np.array(items, float)[tensors]
        for start, length, sides in zip(pieces[3 : 3 + DIMENSIONS], pieces[3 + DIMENSIONS :], whole, strict=True):
            fits &= (start <= sides[tensors]) & (length <= sides[tensors] - start)
            taken *= length
        fits &= taken <= np.array(sizes, np.int64)[files] - at
    return None if fits.all() else int(fits.argmin())

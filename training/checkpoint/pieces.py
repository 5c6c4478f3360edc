"""Where the pieces of tensors lie in the files of a checkpoint, kept as columns of whole numbers.

512 processes write a million pieces of a model of 70 B. As objects they took 1.5 GiB and half a minute to read; columns
of them are 86 MB, and 3 MB where zlib has packed them, because most rows are like those before them.
"""

import base64
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from curation.core.shapes import Count

Integers = npt.NDArray[np.int64]
DIMENSIONS = 5  # of a tensor, at most
WIDTH = 2 + 2 * DIMENSIONS
MAX_BYTES = 2**30  # of all columns
FAST = 1  # level of zlib


@dataclass(frozen=True)
class TensorPiece:
    """A box of a tensor, its elements from `start` on along each dimension; in its file from byte `at` on."""

    at: Count
    start: tuple[Count, ...]
    shape: tuple[Count, ...]


class Pieces(Mapping[str, TensorPiece]):
    """The P pieces in one file by the name of their tensor, in the order of the file.

    `table`: int64[P, WIDTH], the number of dimensions, `at`, and `start` and `shape` as `padded` gives them."""

    def __init__(self, names: Sequence[str], table: Integers) -> None:
        self.names = names
        self.table = table

    @classmethod
    def of(cls, pieces: Mapping[str, TensorPiece]) -> "Pieces":
        if isinstance(pieces, Pieces):
            return pieces
        table = np.tile(np.array([0, 0, *padded((), 0), *padded((), 1)]), (len(pieces), 1))
        table[:, 0] = [len(one.start) for one in pieces.values()]
        table[:, 1] = [one.at for one in pieces.values()]
        for size in set(table[:, 0].tolist()):
            rows = table[:, 0] == size
            both = np.array([one.start + one.shape for one in pieces.values() if len(one.start) == size], np.int64)
            table[rows, 2 : 2 + size] = both[:, :size]
            table[rows, 2 + DIMENSIONS : 2 + DIMENSIONS + size] = both[:, size:]
        return cls(list(pieces), table)

    def __getitem__(self, name: str) -> TensorPiece:
        dimensions, at, *box = self.table[self._rows[name]].tolist()
        return TensorPiece(at, tuple(box[:dimensions]), tuple(box[DIMENSIONS : DIMENSIONS + dimensions]))

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names)}


def padded(sizes: Sequence[int], fill: int) -> tuple[int, ...]:
    """With `fill` for the dimensions up to DIMENSIONS that a tensor has not."""
    return (*sizes, *(fill,) * (DIMENSIONS - len(sizes)))


def pack(files: Sequence[Mapping[str, TensorPiece]], dimensions: Mapping[str, int]) -> str:
    """The pieces of all files in base64; `dimensions`: of every tensor, by name."""
    number = {name: place for place, name in enumerate(dimensions)}
    sizes = np.fromiter(dimensions.values(), np.int64)
    columns = np.empty((WIDTH, sum(map(len, files))), "<i8")
    end = 0
    for pieces in map(Pieces.of, files):
        block = columns[:, end : end + len(pieces)]
        end += len(pieces)
        block[:] = pieces.table.T
        block[0] = [number[name] for name in pieces.names]
        assert np.array_equal(sizes[block[0]], pieces.table[:, 0]), "a piece has as many dimensions as its tensor"
        block[1] = np.diff(block[1], prepend=0)
    return base64.b64encode(zlib.compress(columns.tobytes(), FAST)).decode()


def unpack(packed: str, counts: Sequence[int], dimensions: Mapping[str, int]) -> list[Pieces]:
    """The pieces of files that hold so many each. Raises ValueError for what `pack` does not write."""
    columns = _columns(packed, sum(counts))
    if columns.size and (columns[0].max() >= len(dimensions) or columns[[0, *range(2, WIDTH)]].min() < 0):
        raise ValueError("a piece is of no tensor, or has a negative size")
    names = list(dimensions)
    sizes = np.fromiter(dimensions.values(), np.int64)
    found = []
    end = 0
    for count in counts:
        table = columns[:, end : end + count].T.copy()
        end += count
        own = [names[number] for number in table[:, 0].tolist()]
        if len(set(own)) < count:
            raise ValueError("a file has two pieces of one tensor")
        table[:, 0] = sizes[table[:, 0]]
        table[:, 1] = np.cumsum(table[:, 1])
        found.append(Pieces(own, table))
    return found


def _columns(packed: str, count: int) -> Integers:
    """int64[WIDTH, count]. It takes no more memory than MAX_BYTES, whatever was packed."""
    size = 8 * WIDTH * count
    if size > MAX_BYTES:
        raise ValueError(f"its pieces take {size:,} bytes, and those of no checkpoint more than {MAX_BYTES:,}")
    stream = zlib.decompressobj()
    try:
        numbers = stream.decompress(base64.b64decode(packed, validate=True), size + 1)
    except zlib.error as error:
        raise ValueError(f"its pieces cannot be read: {error}") from error
    if len(numbers) != size or not stream.eof or stream.unused_data:
        raise ValueError(f"its pieces are not the {size:,} bytes that it says")
    return np.frombuffer(numbers, "<i8").reshape(WIDTH, count)

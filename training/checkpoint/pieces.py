"""Where the pieces of tensors lie in the files of a checkpoint, kept as columns of whole numbers.

512 processes write a million pieces of a model of 70 B. As objects they took 1.5 GiB and half a minute to read; columns
of them are 44 MB, and 3 MB where zlib has packed them, because most rows are like those before them.
"""

import base64
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from curation.core.shapes import Count

Integers = npt.NDArray[np.int64]
MAX_BYTES = 2**30  # of all columns
FAST = 1  # level of zlib


@dataclass(frozen=True)
class TensorPiece:
    """A box of a tensor, its elements from `start` on along each dimension; in its file from byte `at` on."""

    at: Count
    start: tuple[Count, ...]
    shape: tuple[Count, ...]


class PieceColumns(NamedTuple):
    """Of P pieces, with as many dimensions D as the caller asks for: beyond a piece's own it starts at 0 and has 1."""

    dimensions: Integers  # [P]
    at: Integers  # [P]
    start: Integers  # [P, D]
    shape: Integers  # [P, D]


class Pieces(Mapping[str, TensorPiece]):
    """The pieces in one file by the name of their tensor, in the order of the file."""

    def __init__(self, names: Sequence[str], table: Integers) -> None:
        """`table`: int64[P, 2 + 2 D], for each piece its number of dimensions, `at`, `start` and `shape`."""
        self.names = names
        self.table = table

    @classmethod
    def of(cls, pieces: Mapping[str, TensorPiece]) -> "Pieces":
        if isinstance(pieces, Pieces):
            return pieces
        most = max((len(piece.start) for piece in pieces.values()), default=0)
        starts, sizes = ([(fill,) * (most - own) for own in range(most + 1)] for fill in (0, 1))
        rows = (
            ((own := len(one.start)), one.at, *one.start, *starts[own], *one.shape, *sizes[own])
            for one in pieces.values()
        )
        numbers = np.fromiter(chain.from_iterable(rows), np.int64)
        return cls(list(pieces), numbers.reshape(len(pieces), 2 + 2 * most))

    def __getitem__(self, name: str) -> TensorPiece:
        dimensions, at, *box = self.table[self._rows[name]].tolist()
        most = len(box) // 2
        return TensorPiece(at, tuple(box[:dimensions]), tuple(box[most : most + dimensions]))

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def columns(self, dimensions: int, rows: Sequence[int] | None = None) -> PieceColumns:
        """Of all pieces, or of these rows."""
        table = self.table if rows is None else self.table[np.asarray(rows, np.int64)]
        most = (table.shape[1] - 2) // 2
        start = np.zeros((len(table), dimensions), np.int64)
        shape = np.ones((len(table), dimensions), np.int64)
        both = min(most, dimensions)
        start[:, :both] = table[:, 2 : 2 + both]
        shape[:, :both] = table[:, 2 + most : 2 + most + both]
        return PieceColumns(table[:, 0], table[:, 1], start, shape)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names)}


def pack(files: Sequence[Mapping[str, TensorPiece]], dimensions: Mapping[str, int]) -> str:
    """The pieces of all files in base64; `dimensions`: of every tensor, by name."""
    most = max(dimensions.values(), default=0)
    number = {name: place for place, name in enumerate(dimensions)}
    sizes = np.fromiter(dimensions.values(), np.int64)
    blocks = []
    for pieces in map(Pieces.of, files):
        own = pieces.columns(most)
        block = np.empty((2 + 2 * most, len(pieces)), np.int64)
        block[0] = [number[name] for name in pieces.names]
        assert np.array_equal(own.dimensions, sizes[block[0]]), "a piece has as many dimensions as its tensor"
        block[1] = np.diff(own.at, prepend=0)
        block[2 : 2 + most] = own.start.T
        block[2 + most :] = own.shape.T
        blocks.append(block)
    columns = np.concatenate(blocks, axis=1) if blocks else np.empty((2 + 2 * most, 0), np.int64)
    return base64.b64encode(zlib.compress(columns.astype("<i8").tobytes(), FAST)).decode()


def unpack(packed: str, counts: Sequence[int], dimensions: Mapping[str, int]) -> list[Pieces]:
    """The pieces of files that hold so many each. Raises ValueError for what `pack` does not write."""
    most = max(dimensions.values(), default=0)
    columns = _numbers(packed, (2 + 2 * most, sum(counts)))
    if columns.shape[1] and (columns[0].max() >= len(dimensions) or columns[[0, *range(2, 2 + 2 * most)]].min() < 0):
        raise ValueError("a piece is of no tensor, or has a negative size")
    names = list(dimensions)
    sizes = np.fromiter(dimensions.values(), np.int64)
    found = []
    end = 0
    for count in counts:
        block = columns[:, end : end + count].T.copy()
        end += count
        own = [names[number] for number in block[:, 0].tolist()]
        if len(set(own)) < count:
            raise ValueError("a file has two pieces of one tensor")
        block[:, 0] = sizes[block[:, 0]]
        block[:, 1] = np.cumsum(block[:, 1])
        found.append(Pieces(own, block))
    return found


def _numbers(packed: str, shape: tuple[int, int]) -> Integers:
    """int64 of that shape. It takes no more memory than MAX_BYTES, whatever was packed."""
    size = 8 * shape[0] * shape[1]
    if size > MAX_BYTES:
        raise ValueError(f"its pieces take {size:,} bytes, and those of no checkpoint more than {MAX_BYTES:,}")
    content = base64.b64decode(packed, validate=True)
    stream = zlib.decompressobj()
    try:
        numbers = stream.decompress(content, size + 1)
    except zlib.error as error:
        raise ValueError(f"its pieces cannot be read: {error}") from error
    if len(numbers) != size or not stream.eof or stream.unused_data:
        raise ValueError(f"its pieces are not the {size:,} bytes that it says")
    return np.frombuffer(numbers, "<i8").reshape(shape)

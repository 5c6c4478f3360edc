"""The files of a checkpoint: one per process in the format of safetensors, with its boxes of tensors.

Other programs can open them. Loading goes by the manifest, which also says where a box lies in its tensor.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from io import BufferedReader
from itertools import accumulate
from math import prod
from typing import IO, Any, cast

import numpy as np
import torch
from torch import Tensor

from curation.core import storage
from curation.core.new_file import NewFile, checksum_of
from curation.core.tensor_header import header_of
from training.checkpoint.manifest import DamagedError, TensorFile
from training.checkpoint.pieces import Pieces, TensorPiece, padded
from training.checkpoint.state import DTYPES, TensorBox

BUFFER = 8 << 20  # bytes that are read ahead


def write_tensors(uri: str, tensors: Mapping[str, TensorBox]) -> TensorFile:
    """Writes this process's boxes, one at a time, and publishes the file once it is complete."""
    written = {name: held for name, held in tensors.items() if held.writes and held.local.numel()}
    head = header_of({name: (held.whole.dtype, held.local.shape) for name, held in written.items()})
    ends = accumulate((held.local.nbytes for held in written.values()), initial=len(head))
    with NewFile(uri) as file:
        file.write(head)
        for held in written.values():
            file.write(_bytes(held.local))
    assert file.facts is not None, "it was just published"
    boxes = zip(ends, written.items(), strict=False)
    pieces = {name: TensorPiece(at, held.start, tuple(held.local.shape)) for at, (name, held) in boxes}
    return TensorFile(file.facts.bytes, file.facts.blake2b, Pieces.of(pieces))


def what_is_wrong(folder: str, files: Mapping[str, TensorFile]) -> str:
    """What differs from the manifest in these files, which are read from start to end; empty if nothing does."""
    sizes = storage.list_sizes(folder)
    for name, file in files.items():
        if name not in sizes:
            return f"{name} is missing"
        if sizes[name] != file.bytes:
            return f"{name} has {sizes[name]:,} bytes, its manifest says {file.bytes:,}"
        if checksum_of(storage.join(folder, name)) != file.blake2b:
            return f"{name} has another checksum than its manifest says"
    return ""


def fill(folder: str, files: Mapping[str, TensorFile], tensors: Mapping[str, TensorBox]) -> None:
    """Copies the numbers of the files into the tensors, whatever boxes they were written in.

    Raises DamagedError if the files do not hold all of them.
    """
    boxes = _Boxes(tensors)
    missing = {name: held.local.numel() for name, held in tensors.items()}
    for file_name, file in files.items():
        pieces = Pieces.of(file.pieces)
        shared = boxes.shared(pieces, file_name, file.bytes)
        if not shared:
            continue
        with _opened(storage.join(folder, file_name)) as stream:
            for name in shared:
                missing[name] -= _copy(stream, pieces[name], tensors[name])
    if any(missing.values()):
        raise DamagedError(f"its files do not hold all of {next(name for name, count in missing.items() if count)}")


class _Boxes:
    """This process's boxes as columns, int64[T, D], so that each of 512 files takes no loop over its pieces."""

    def __init__(self, tensors: Mapping[str, TensorBox]) -> None:
        self._numbers = {name: number for number, name in enumerate(tensors)}
        boxes = tensors.values()
        self._item = np.array([box.local.element_size() for box in boxes], np.int64)
        self._filled = np.array([box.local.numel() > 0 for box in boxes], bool)
        self._dimensions = np.array([len(box.start) for box in boxes], np.int64)
        self._start = np.array([padded(box.start, 0) for box in boxes], np.int64)
        self._size = np.array([padded(box.local.shape, 1) for box in boxes], np.int64)
        self._whole = np.array([padded(box.whole.shape, 1) for box in boxes], np.int64)

    def shared(self, pieces: Pieces, file_name: str, size: int) -> list[str]:
        """Tensors of which both this process and a file of `size` bytes hold something. Raises DamagedError for a piece
        that does not lie within its tensor and its file."""
        rows = [row for row, name in enumerate(pieces.names) if name in self._numbers]
        if not rows:
            return []
        names = [pieces.names[row] for row in rows]
        own = np.array([self._numbers[name] for name in names], np.int64)
        dimensions, at = pieces.table[rows, :2].T
        start, shape = pieces.table[rows, 2:].reshape(len(rows), 2, -1).transpose(1, 0, 2)
        whole = self._whole[own]
        within = (start >= 0) & (shape >= 0) & (start <= whole) & (shape <= whole - start)
        fits = (dimensions == self._dimensions[own]) & within.all(axis=1) & (at >= 0)
        # Where a piece lies within its tensor, its bytes are a number of 63 bits.
        fits &= at <= size - np.where(fits, shape.prod(axis=1), 0) * self._item[own]
        if not fits.all():
            wrong = names[int(fits.argmin())]
            raise DamagedError(f"its manifest gives {file_name} a piece of {wrong} that does not fit")
        first = np.maximum(start, self._start[own])
        last = np.minimum(start + shape, self._start[own] + self._size[own])
        both = (first < last).all(axis=1) & self._filled[own]
        return [names[row] for row in np.flatnonzero(both).tolist()]


def _bytes(tensor: Tensor) -> memoryview:
    flat = tensor.detach().cpu().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().data


def _copy(stream: IO[bytes], piece: TensorPiece, held: TensorBox) -> int:
    """Copies what both hold, and returns the number of elements. Only the rows that are needed are read."""
    bounds = [  # first and last-but-one index of the whole tensor, along each dimension, that both hold
        (max(begin, start), min(begin + size, start + length))
        for begin, size, start, length in zip(piece.start, piece.shape, held.start, held.local.shape, strict=True)
    ]
    first, last = (bounds[0][0] - piece.start[0], bounds[0][1] - piece.start[0]) if bounds else (0, 1)
    rest = piece.shape[1:]
    row = prod(rest) * held.local.element_size()
    content = bytearray((last - first) * row)
    stream.seek(piece.at + first * row)
    if stream.readinto(content) != len(content):  # type: ignore[attr-defined]
        raise DamagedError("a file ends before the numbers that its manifest names")
    block = torch.frombuffer(content, dtype=_DTYPES[held.whole.dtype]).reshape((last - first, *rest) if bounds else ())
    source = tuple(slice(a - s, b - s) for (a, b), s in zip(bounds[1:], piece.start[1:], strict=True))
    target = tuple(slice(a - s, b - s) for (a, b), s in zip(bounds, held.start, strict=True))
    with torch.no_grad():
        held.local[target].copy_(block[:, *source] if bounds else block)
    return prod(b - a for a, b in bounds)


_DTYPES = {name: dtype for dtype, name in DTYPES.items()}


@contextmanager
def _opened(uri: str) -> Iterator[IO[bytes]]:
    fs, path = storage.resolve(uri)
    with ExitStack() as stack:
        file = stack.enter_context(fs.open_input_file(path))
        yield cast(IO[bytes], stack.enter_context(BufferedReader(cast(Any, file), BUFFER)))

"""The files of a checkpoint: one per process in the format of safetensors, with its boxes of tensors.

Other programs can open them. Loading goes by the manifest, which also says where a box lies in its tensor.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from io import BufferedReader
from itertools import accumulate, groupby
from math import prod
from operator import itemgetter
from typing import IO, Any, cast

import numpy as np
import torch
from torch import Tensor

from curation.core import storage
from curation.core.new_file import NewFile, checksum_of
from curation.core.tensor_header import header_of
from training.checkpoint.manifest import CheckpointManifest, DamagedError, TensorFile, WrittenFile
from training.checkpoint.pieces import DIMENSIONS, padded
from training.checkpoint.state import DTYPES, TensorBox

BUFFER = 8 << 20  # bytes that are read ahead


def write_tensors(uri: str, tensors: Mapping[str, TensorBox]) -> WrittenFile:
    """Writes this process's boxes, one at a time, and publishes the file once it is complete."""
    written = {name: held for name, held in tensors.items() if held.writes and held.local.numel()}
    head = header_of({name: (held.whole.dtype, held.local.shape) for name, held in written.items()})
    with NewFile(uri) as file:
        file.write(head)
        for held in written.values():
            file.write(_bytes(held.local))
    assert file.facts is not None, "it was just published"
    ends = accumulate((held.local.nbytes for held in written.values()), initial=len(head))
    boxes = [(at, *padded(one.start, one.local.shape)) for at, one in zip(ends, written.values(), strict=False)]
    columns = np.array(boxes, np.int64).reshape(-1, 1 + 2 * DIMENSIONS).T
    return WrittenFile(file.facts.bytes, file.facts.blake2b, [*written], columns)


def check_files(folder: str, files: Mapping[str, TensorFile]) -> None:
    """Reads these files from start to end. Raises DamagedError for what differs from the manifest."""
    sizes = storage.list_sizes(folder)
    for name, file in files.items():
        if name not in sizes:
            raise DamagedError(f"{name} is missing")
        if sizes[name] != file.bytes:
            raise DamagedError(f"{name} has {sizes[name]:,} bytes, its manifest says {file.bytes:,}")
        if checksum_of(storage.join(folder, name)) != file.blake2b:
            raise DamagedError(f"{name} has another checksum than its manifest says")


def fill(folder: str, manifest: CheckpointManifest, tensors: Mapping[str, TensorBox]) -> None:
    """Copies the numbers of the files into the tensors, whatever boxes they were written in.

    Raises DamagedError if the files do not hold all of them.
    """
    names, files = sorted(manifest.tensors), sorted(manifest.files)
    own = np.zeros((len(names), 2 * DIMENSIONS), np.int64)  # the boxes; those of others are 0 long
    for number, name in enumerate(names):
        if name in tensors:
            own[number] = padded(tensors[name].start, tensors[name].local.shape)
    columns = manifest.columns
    rows = np.flatnonzero(own[:, DIMENSIONS:].min(axis=1)[columns[1]])
    for place in range(DIMENSIONS):  # so that no loop goes over a million pieces
        begin, length = columns[3 + place :: DIMENSIONS, rows]
        start, size = own[columns[1, rows], place::DIMENSIONS].T
        rows = rows[(begin < start + size) & (start < begin + length)]
    missing = {name: held.local.numel() for name, held in tensors.items()}
    for number, some in groupby(columns[:, rows].T.tolist(), key=itemgetter(0)):
        with _opened(storage.join(folder, files[number])) as stream:
            for _, tensor, at, *box in some:
                name = names[tensor]
                missing[name] -= _copy(stream, at, box, tensors[name])
    if any(missing.values()):
        raise DamagedError(f"its files do not hold all of {next(name for name, count in missing.items() if count)}")


def _bytes(tensor: Tensor) -> memoryview:
    flat = tensor.detach().cpu().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().data


def _copy(stream: IO[bytes], at: int, box: list[int], held: TensorBox) -> int:
    """Copies what a piece, whose numbers begin `at` a byte, and this process both hold; returns the number of elements.
    Only the rows that are needed are read."""
    begins, shape = (box[first : first + len(held.start)] for first in (0, DIMENSIONS))
    bounds = [  # first and last-but-one index of the whole tensor, along each dimension, that both hold
        (max(begin, start), min(begin + size, start + length))
        for begin, size, start, length in zip(begins, shape, held.start, held.local.shape, strict=True)
    ]
    first, last = (bounds[0][0] - begins[0], bounds[0][1] - begins[0]) if bounds else (0, 1)
    rest = shape[1:]
    row = prod(rest) * held.local.element_size()
    content = bytearray((last - first) * row)
    stream.seek(at + first * row)
    if stream.readinto(content) != len(content):  # type: ignore[attr-defined]
        raise DamagedError("a file ends before the numbers that its manifest names")
    block = torch.frombuffer(content, dtype=_DTYPES[held.whole.dtype]).reshape((last - first, *rest) if bounds else ())
    source = tuple(slice(a - s, b - s) for (a, b), s in zip(bounds[1:], begins[1:], strict=True))
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

"""Reads files that units sent: whole, or a receiver's ranges of bytes of every sender's file."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.ipc

from curation.core import storage
from curation.core.commits import Commit
from curation.core.errors import InputError, StageError
from curation.core.threads import map_threads
from curation.engine.run.routing import Ints, sent_path

STORED = "_ranges"  # folder of stored bounds
FEW_SENDERS = 128  # up to so many, a task carries the ranges of their files itself: 2 kB
AT_ONCE = 64  # senders whose rows are held where they are read one after the other
_NUMBER = np.dtype("<i8")
DAMAGED = (pa.ArrowInvalid, OSError, InputError, StopIteration, ValueError)  # what reading such a file may raise


def read_file(path: str) -> pa.Table:
    """All rows of one file. Raises StageError where it is gone or damaged."""
    with _readable(path):
        return opened(path).read_all()


def opened(path: str) -> pa.RecordBatchFileReader:
    """One file, held in memory as it is stored: its batches are unpacked when they are asked for."""
    with _readable(path):
        return pa.ipc.open_file(pa.BufferReader(storage.read_bytes(path)))


def read_batches(path: str, columns: Sequence[str] = ()) -> Iterator[pa.RecordBatch]:
    """The batches of one file, with these columns or all, of which one is in memory at a time. Raises StageError where
    it is gone or damaged."""
    fs, inner = storage.resolve(path)
    with _readable(path), fs.open_input_file(inner) as stream:
        file = pa.ipc.open_file(stream)
        if columns:
            places = [file.schema.get_field_index(name) for name in columns]
            file = pa.ipc.open_file(stream, options=pa.ipc.IpcReadOptions(included_fields=places))
        for number in range(file.num_record_batches):
            yield file.get_batch(number)


@contextmanager
def _readable(path: str) -> Iterator[None]:
    """Raises StageError where the file turns out to be gone or damaged."""
    try:
        yield
    except DAMAGED as error:
        message = f"{path} cannot be read: {error}; delete its stage's folder to have it made again"
        raise StageError(message) from error


@dataclass(frozen=True)
class StoredRanges:
    """One receiver's ranges in the file at `path`: between the bounds with the numbers `first` and `last`."""

    path: str
    senders: int
    first: int
    last: int

    def read(self) -> Ints:
        """int64[S, 2]: the ranges in the senders' files, in bytes. Raises StageError for a damaged file."""
        size = self.senders * _NUMBER.itemsize
        fs, inner = storage.resolve(self.path)
        try:
            with fs.open_input_file(inner) as file:
                bounds = [np.frombuffer(file.read_at(size, at * size), _NUMBER) for at in (self.first, self.last)]
            return np.stack(bounds, axis=1)
        except (OSError, ValueError) as error:
            raise StageError(f"{self.path} cannot be read: {error}; run the same command again") from error


@dataclass(frozen=True, eq=False)
class Slices:
    """Where one receiver's rows are: `ranges`, int64[S, 2], in bytes, one in each of S senders' files."""

    folder: str
    step: str
    what: str
    ranges: Ints | StoredRanges

    @property
    def path(self) -> str:
        return storage.join(self.folder, self.step, f"{self.what}-*.arrow")

    def table(self, schema: pa.Schema) -> pa.Table:
        """All rows, in the order of the senders."""
        return pa.concat_tables([schema.empty_table(), *self.tables(schema)])

    def tables(self, schema: pa.Schema) -> Iterator[pa.Table]:
        """The rows of each sender. Raises StageError where a file is gone or damaged."""
        ranges = self.ranges.read() if isinstance(self.ranges, StoredRanges) else self.ranges
        for first in range(0, len(ranges), AT_ONCE):
            senders = range(first, min(first + AT_ONCE, len(ranges)))
            yield from map_threads(lambda sender: self._read(sender, ranges[sender], schema), senders)

    def _read(self, sender: int, bounds: Ints, schema: pa.Schema) -> pa.Table:
        path = sent_path(self.folder, self.step, self.what, sender)
        start, stop = bounds.tolist()
        fs, inner = storage.resolve(path)
        with _readable(path):
            with fs.open_input_file(inner) as file:
                content = file.read_at(stop - start, start)
            return pa.Table.from_batches(_batches(content, stop - start, schema), schema)


def _batches(content: bytes, size: int, schema: pa.Schema) -> list[pa.RecordBatch]:
    if len(content) != size:
        raise ValueError("it was cut short")
    batches = list[pa.RecordBatch]()
    source = pa.BufferReader(content)
    while source.tell() < size:
        batches.append(pa.ipc.read_record_batch(pa.ipc.read_message(source), schema))
    return batches


@dataclass(frozen=True, eq=False)
class SentFiles:
    """The files of one name that all senders of a step wrote, each with the same number of batches. `bounds`: int64[S,
    batches + 1], in bytes. A gathered file has the rows of `per` senders."""

    folder: str
    step: str
    what: str
    bounds: Ints
    per: int = 1
    stored: str = ""  # path of the file that has the bounds, if one has

    @classmethod
    def of(cls, folder: str, step: str, what: str, commits: Sequence[Commit]) -> "SentFiles":
        """What the units of a step sent; `commits` are those of all units, in order."""
        lengths = np.array([commit.extra["lengths"][what] for commit in commits] or np.empty((0, 2)), np.int64)
        return cls(folder, step, what, np.cumsum(lengths, axis=1))

    @property
    def batches(self) -> int:
        return max(int(self.bounds.shape[1]) - 1, 1)

    def to(self, receiver: int, receivers: int) -> Slices:
        """The batches with the rows of one receiver; with fewer batches than receivers they hold rows of others too."""
        first = receiver * self.batches // receivers
        last = -(-(receiver + 1) * self.batches // receivers)
        stored = self.stored and StoredRanges(self.stored, len(self.bounds), first, last)
        return Slices(self.folder, self.step, self.what, stored or self.bounds[:, [first, last]])

    def compact(self) -> "SentFiles":
        """The same, small enough for each task to carry: with many senders, their bounds are stored in a file."""
        if len(self.bounds) <= FEW_SENDERS:
            return self
        path = storage.join(self.folder, STORED, f"{self.step}-{self.what}")
        storage.make_folder(storage.join(self.folder, STORED))
        storage.replace_bytes(path, self.bounds.T.astype(_NUMBER).tobytes())  # those of a receiver lie together
        return replace(self, stored=path)

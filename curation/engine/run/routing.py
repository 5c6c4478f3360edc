"""Tables sent from units to units through sealed files: a sender writes one file, a record batch per receiver.

This is how rows change places without a shuffle: every sender's file is a whole Arrow file, a receiver reads its range
of bytes of each, and either side can be done again alone. The senders' commits say where the ranges lie.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from types import TracebackType
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.ipc

from curation.core import storage
from curation.core.commits import Commit
from curation.core.document import bucket_of
from curation.core.new_file import FileFacts, NewFile
from curation.core.threads import map_threads
from curation.engine.run.part_files import one_batch
from curation.engine.run.sent_files import DAMAGED, unreadable
from curation.engine.run.stored_ranges import StoredRanges, store_ranges

Ints = npt.NDArray[np.int64]
SLOTS = 1 << 16  # ranges of keys by their first bits; every number of buckets is a power of two up to it
TOLD = 128  # senders of whose files a task is told the ranges, at most: 2 kB
AT_ONCE = 64  # senders whose rows are held where they are read one after the other
_MAGIC_BYTES = 8  # before the schema


class Router(Protocol):
    """Who receives a row: a number in [0, receivers)."""

    @property
    def receivers(self) -> int: ...

    def of(self, table: pa.Table) -> Ints:
        """int64[N]: the receiver of each row."""


@dataclass(frozen=True)
class ByKey:
    """Rows go to the bucket of their `key_hi`."""

    receivers: int = SLOTS

    def of(self, table: pa.Table) -> Ints:
        return bucket_of(np.asarray(table["key_hi"]), self.receivers)


@dataclass(frozen=True, eq=False)
class Known:
    """The receivers of rows, int64[N], that are known already."""

    rows: Ints
    receivers: int

    def of(self, table: pa.Table) -> Ints:
        return self.rows


class RoutedFile:
    """A context that writes record batches to one file; `lengths` are the bytes before the first and of each."""

    def __init__(self, path: str, schema: pa.Schema) -> None:
        self._target = NewFile(path)
        signatures = any(pa.types.is_fixed_size_binary(field.type) for field in schema)  # are hashes: nothing comes off
        options = pa.ipc.IpcWriteOptions(compression=None if signatures else "lz4")
        self._writer = pa.ipc.new_file(self._target, schema, options=options)
        self._end = _MAGIC_BYTES + schema.serialize().size
        self.lengths = [self._end]

    def add(self, table: pa.Table) -> None:
        self._writer.write_batch(one_batch(table))
        self.lengths.append(self._target.tell() - self._end)
        self._end = self._target.tell()

    def __enter__(self) -> "RoutedFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._writer.close()
        self._target.__exit__(kind, error, trace)

    @property
    def facts(self) -> FileFacts:
        assert self._target.facts is not None, "the context has ended"
        return self._target.facts


class Outbox:
    """The files that a unit writes in the folder of its step, and the commit that names them."""

    def __init__(self, folder: str, step: str, unit: int) -> None:
        self._folder, self._step, self._unit = folder, step, unit
        self._files: dict[str, dict[str, object]] = {}
        self._lengths: dict[str, list[int]] = {}

    def send(self, what: str, table: pa.Table, router: Router, batches: int | None = None) -> None:
        """Rows to their receivers, those of one in the order of the table. With `batches`, a file to be gathered or
        to be read by ranges of receivers: in so many batches."""
        self.write(what, table.schema, by_receiver(table, router, batches))

    def put(self, what: str, table: pa.Table) -> None:
        """Rows that are read whole."""
        self.write(what, table.schema, [table])

    def write(self, what: str, schema: pa.Schema, batches: Iterable[pa.Table]) -> None:
        """Rows batch by batch."""
        path = sent_path(self._folder, self._step, what, self._unit)
        file = write_batches(path, schema, batches)
        self._lengths[what] = file.lengths
        self.add(path[len(self._folder) + 1 :], file.facts)

    def add(self, name: str, facts: FileFacts) -> None:
        """A file that was written otherwise, by its path within the stage's folder."""
        self._files[name] = asdict(facts)

    def done(self, **extra: object) -> Commit:
        return Commit(self._unit, (), extra={"files": self._files, "lengths": self._lengths, **extra})


def by_receiver(table: pa.Table, router: Router, batches: int | None = None) -> Iterator[pa.Table]:
    """The rows of each receiver in turn, in their order; with `batches`, of so many ranges of receivers."""
    count = batches or router.receivers
    batch = router.of(table) * count // router.receivers
    order = np.argsort(batch.astype(np.uint16) if count <= SLOTS else batch, kind="stable")  # by radix
    rows = table.take(pa.array(order)).combine_chunks()
    for start, stop in pairwise(np.searchsorted(batch[order], np.arange(count + 1)).tolist()):
        yield rows.slice(start, stop - start)


def write_batches(path: str, schema: pa.Schema, batches: Iterable[pa.Table]) -> RoutedFile:
    """A new file of these batches."""
    with RoutedFile(path, schema) as file:
        for batch in batches:
            file.add(batch)
    return file


def sent_path(folder: str, step: str, what: str, unit: int) -> str:
    return storage.join(folder, step, f"{what}-{unit:05d}.arrow")


@dataclass(frozen=True, eq=False)
class Slices:
    """Where one receiver's rows lie: `ranges` int64[S, 2], of bytes, one of each of S senders' files."""

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
        try:
            fs, inner = storage.resolve(path)
            with fs.open_input_file(inner) as file:
                content = file.read_at(stop - start, start)
            return pa.Table.from_batches(_batches(content, stop - start, schema), schema)
        except DAMAGED as error:
            raise unreadable(path, error) from error


@dataclass(frozen=True, eq=False)
class Arrived:
    """What a task was sent, by name."""

    of: Mapping[str, Slices]

    @property
    def path(self) -> str:
        return next(iter(self.of.values())).path


def _batches(content: bytes, size: int, schema: pa.Schema) -> list[pa.RecordBatch]:
    if len(content) != size:
        raise ValueError("it was cut short")
    batches, source = list[pa.RecordBatch](), pa.BufferReader(content)
    while source.tell() < size:
        batches.append(pa.ipc.read_record_batch(pa.ipc.read_message(source), schema))
    return batches


@dataclass(frozen=True, eq=False)
class Sent:
    """The files of all senders of a step, each with equally many batches: `bounds` int64[S, batches + 1], of bytes.
    Gathered files have the rows of `per` senders each."""

    folder: str
    step: str
    what: str
    bounds: Ints
    per: int = 1
    stored: str = ""  # file that has the bounds

    @classmethod
    def of(cls, folder: str, step: str, what: str, commits: Sequence[Commit]) -> "Sent":
        """What the units of a step sent; `commits` are those of all, in their order."""
        lengths = np.array([commit.extra["lengths"][what] for commit in commits] or np.empty((0, 2)), np.int64)
        return cls(folder, step, what, np.cumsum(lengths, axis=1))

    @property
    def batches(self) -> int:
        return max(int(self.bounds.shape[1]) - 1, 1)

    def to(self, receiver: int, receivers: int) -> Slices:
        """The batches with the rows of one receiver, which may hold rows of others where they are fewer."""
        first, last = receiver * self.batches // receivers, -(-(receiver + 1) * self.batches // receivers)
        stored = self.stored and StoredRanges(self.stored, len(self.bounds), first, last)
        return Slices(self.folder, self.step, self.what, stored or self.bounds[:, [first, last]])

    def told(self) -> "Sent":
        """The same; with many senders, the slices name a file that has their ranges in place of these."""
        if len(self.bounds) <= TOLD:
            return self
        return replace(self, stored=store_ranges(self.folder, (self.step, self.what), self.bounds))

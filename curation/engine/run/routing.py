"""Sends tables from units to units through sealed files: a sender writes one file, with a record batch per receiver.

This is how rows change places without a shuffle: every sender's file is a whole Arrow file, a receiver reads its range
of bytes of each (`sent_files`), and either side can be done again alone. The senders' commits say where the ranges are.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.ipc

from curation.core import storage
from curation.core.commits import Commit
from curation.core.document import bucket_of
from curation.core.new_file import FileFacts, NewFile
from curation.engine.run.part_files import one_batch

Ints = npt.NDArray[np.int64]
SLOTS = 1 << 16  # ranges of keys by their first bits; every number of buckets is a power of two up to it
_MAGIC_BYTES = 8  # before the schema


class Router:
    """Decides who receives a row: a number in [0, receivers)."""

    receivers: int

    def of(self, table: pa.Table) -> Ints:
        """int64[N]: the receiver of each row."""
        raise NotImplementedError


@dataclass(frozen=True)
class ByKey(Router):
    """Rows go to the bucket of their `key_hi`."""

    receivers: int = SLOTS

    def of(self, table: pa.Table) -> Ints:
        return bucket_of(np.asarray(table["key_hi"]), self.receivers)


@dataclass(frozen=True, eq=False)
class KnownReceivers(Router):
    """Receivers that are known already: `rows`, int64[N]."""

    rows: Ints
    receivers: int

    def of(self, table: pa.Table) -> Ints:
        return self.rows


@dataclass(frozen=True)
class SentFile:
    """A file that was written: what a commit says of it, and the bytes before its first record batch and of each."""

    facts: FileFacts
    lengths: list[int]


class Outbox:
    """Writes a unit's files in the folder of its step, and makes the commit that names them."""

    def __init__(self, folder: str, step: str, unit: int) -> None:
        self._folder = folder
        self._step = step
        self._unit = unit
        self._files: dict[str, dict[str, object]] = {}
        self._lengths: dict[str, list[int]] = {}

    def send(self, what: str, table: pa.Table, router: Router, batches: int | None = None) -> None:
        """Writes rows for their receivers, in the order of the table for each. `batches`: the number of record batches,
        each of a range of receivers, where the file will be gathered or read by ranges; default: one per receiver."""
        self.write(what, table.schema, by_receiver(table, router, batches))

    def put(self, what: str, table: pa.Table) -> None:
        """Writes rows that will be read whole."""
        self.write(what, table.schema, [table])

    def write(self, what: str, schema: pa.Schema, batches: Iterable[pa.Table]) -> None:
        """Writes rows batch by batch."""
        path = sent_path(self._folder, self._step, what, self._unit)
        file = write_batches(path, schema, batches)
        self._lengths[what] = file.lengths
        self.add(path, file.facts)

    def add(self, path: str, facts: FileFacts) -> None:
        """A file of the stage's folder that the unit has written itself."""
        self._files[path[len(self._folder) + 1 :]] = asdict(facts)

    def done(self, **extra: object) -> Commit:
        return Commit(self._unit, (), extra={"files": self._files, "lengths": self._lengths, **extra})


def by_receiver(table: pa.Table, router: Router, batches: int | None = None) -> Iterator[pa.Table]:
    """The rows of each receiver in turn, in their order; with `batches`, those of each of so many ranges of
    receivers."""
    count = batches or router.receivers
    batch = router.of(table) * count // router.receivers
    order = np.argsort(batch.astype(np.uint16) if count <= SLOTS else batch, kind="stable")  # by radix
    rows = table.take(pa.array(order)).combine_chunks()
    for start, stop in pairwise(np.searchsorted(batch[order], np.arange(count + 1)).tolist()):
        yield rows.slice(start, stop - start)


def write_batches(path: str, schema: pa.Schema, batches: Iterable[pa.Table]) -> SentFile:
    """Writes a new file with a record batch per table."""
    signatures = any(pa.types.is_fixed_size_binary(field.type) for field in schema)  # hashes cannot be compressed
    options = pa.ipc.IpcWriteOptions(compression=None if signatures else "lz4")
    with NewFile(path) as file:
        writer = pa.ipc.new_file(file, schema, options=options)
        ends = [_MAGIC_BYTES + schema.serialize().size]
        for table in batches:
            writer.write_batch(one_batch(table))
            ends.append(file.tell())
        writer.close()
    assert file.facts is not None, "it was just published"
    return SentFile(file.facts, [ends[0], *(stop - start for start, stop in pairwise(ends))])


def sent_path(folder: str, step: str, what: str, unit: int) -> str:
    return storage.join(folder, step, f"{what}-{unit:05d}.arrow")

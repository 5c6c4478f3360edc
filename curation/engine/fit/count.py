"""Counting over all workers: each unit's counts go to buckets by key, each bucket is merged, one task finishes.

A unit counts CHUNK_BYTES of text at a time and puts what it has on its disk, so its memory is bounded by a chunk and by
its rows of one in PORTIONS ranges of keys.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO

import numpy as np
import pyarrow as pa

from curation.core.commits import Commit
from curation.core.component import needs_of
from curation.core.fits import Counts
from curation.core.needs import MEMORY, Needs
from curation.core.protocols import Ints
from curation.engine.executor.work import Unit
from curation.engine.fit.draw import Chooser
from curation.engine.fit.groups import SampleGroups
from curation.engine.fit.learn import record, sealed
from curation.engine.fit.portions import Portion
from curation.engine.run.exchange import PORTIONS
from curation.engine.run.part_files import one_batch
from curation.engine.run.routing import ByKey, Outbox, by_receiver, sent_path
from curation.engine.run.sent_files import Slices, read_file
from curation.fit.sample.drawing import GROUP

# folders of the steps
COUNTED = "_counted"
MERGED = "_merged"
COUNTS = "counts"  # their files
CHUNK_BYTES = 8 << 20  # of text that is counted at a time
WORKED_ON = 3  # times the bytes of a bucket's rows that its task holds


@dataclass(frozen=True)
class CountStep:
    """Counts a unit's portion; its commit says how many `rows` it sent, of how many bytes (`row_bytes`), and the
    `groups`, [documents, bytes of their text] by number."""

    fit: Counts
    folder: str
    chooser: Chooser

    @property
    def needs(self) -> Needs:
        return needs_of([self.fit])

    def run(self, unit: Unit) -> Commit:
        totals = np.zeros((len(self.chooser.names), 2), np.int64)
        outbox = Outbox(self.folder, COUNTED, unit.number)
        sent = [0, 0]
        schema = self.fit.schema()
        with ExitStack() as files:  # without names: they end with the process, however that ends
            spills = []
            for chunk in self._chunks(unit.payload, totals):
                counted = self.fit.merge(self.fit.count(iter(chunk)))
                spills.append(spilled(counted, files.enter_context(TemporaryFile())))
            outbox.write(COUNTS, schema, self._merged(spills, schema, sent))
        return outbox.done(rows=sent[0], row_bytes=sent[1], groups=totals.tolist())

    def _merged(
        self, spills: Sequence[pa.RecordBatchFileReader], schema: pa.Schema, sent: list[int]
    ) -> Iterator[pa.Table]:
        """The rows of each range of keys."""
        for portion in range(PORTIONS):
            table = pa.Table.from_batches([spill.get_batch(portion) for spill in spills], schema)
            table = self.fit.merge(table) if len(spills) > 1 else table
            sent[0] += table.num_rows
            sent[1] += table.nbytes
            yield table

    def _chunks(self, portion: Portion, totals: Ints) -> Iterator[list[pa.RecordBatch]]:
        chunk: list[pa.RecordBatch] = []
        held = 0
        for table, sizes in self.chooser.chosen(portion):
            np.add.at(totals, np.asarray(table[GROUP]), np.stack([np.ones_like(sizes), sizes], axis=1))
            chunk += table.select(self.chooser.reader.held).to_batches()
            held += int(sizes.sum())
            if held >= CHUNK_BYTES:
                yield chunk
                chunk = []
                held = 0
        if chunk:
            yield chunk


def spilled(counts: pa.Table, file: IO[bytes]) -> pa.RecordBatchFileReader:
    """Writes the rows of each of PORTIONS ranges of keys as one batch; returns what reads these."""
    with pa.ipc.new_file(file, counts.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        for rows in by_receiver(counts, ByKey(), PORTIONS):
            writer.write_batch(one_batch(rows))
    file.seek(0)
    return pa.ipc.open_file(file)


@dataclass(frozen=True)
class MergeStep:
    """The counts of one bucket in as few rows as they have; a payload is `Slices`."""

    fit: Counts
    folder: str
    size: int  # bytes of the rows of a bucket, on average

    @property
    def needs(self) -> Needs:
        return Needs(memory=MEMORY + WORKED_ON * self.size)

    def run(self, unit: Unit) -> Commit:
        slices: Slices = unit.payload
        table = self.fit.merge(slices.table(self.fit.schema()))
        outbox = Outbox(self.folder, MERGED, unit.number)
        outbox.put(COUNTS, table)
        return outbox.done(rows=table.num_rows)


@dataclass(frozen=True)
class FinishStep:
    """Makes the asset of the merged counts and writes its files into the stage's folder."""

    fit: Counts
    folder: str
    buckets: int
    chooser: Chooser
    groups: SampleGroups
    totals: tuple[tuple[int, int], ...]  # documents and bytes counted of each group

    @property
    def needs(self) -> Needs:
        return needs_of([self.fit])

    def run(self, unit: Unit) -> Commit:
        paths = [sent_path(self.folder, MERGED, COUNTS, bucket) for bucket in range(self.buckets)]
        files = self.fit.finish(MergedTables(tuple(paths)))
        totals = dict(zip(self.groups.names, self.totals, strict=True))
        return sealed(unit.number, self.folder, self.fit, files, record(self.chooser.reader, self.groups, totals))


@dataclass(frozen=True)
class MergedTables:
    """The buckets' tables, read anew each time."""

    paths: tuple[str, ...]

    def __iter__(self) -> Iterator[pa.Table]:
        return map(read_file, self.paths)

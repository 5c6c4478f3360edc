"""A fit of pages: a few of the source's units are read whole, and the same number of pages is drawn of each.

Which units and which pages follows from hashes of their names and ids, so that it is the same on every machine.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from curation.core.commits import Commit
from curation.core.component import needs_of
from curation.core.fits import LearnsPages
from curation.core.needs import Needs
from curation.core.net import Net
from curation.core.protocols import Piece, ReadTally, Source
from curation.core.reading import BeginAgainError
from curation.core.watchdog import LIMITS, WorkLimits
from curation.engine.executor.failures import described
from curation.engine.executor.work import Unit
from curation.engine.fit.draw import DOCUMENTS
from curation.engine.fit.learn import sealed
from curation.engine.run.read_step import records_of
from curation.engine.run.routing import Outbox, sent_path
from curation.engine.run.row_stream import RowStream
from curation.engine.run.sent_files import read_batches
from curation.text.kernels.hashing import hash64

BATCH = 256  # pages that a fit looks at at a time


def chosen(units: Sequence[tuple[Piece, ...]], most: int) -> list[Unit]:
    """At most so many of a source's units, with the smallest hashes, in their order."""
    names = [f"{pieces[0].name or pieces[0].path}:{pieces[0].start}" for pieces in units]
    smallest = np.argsort(hash64(pa.array(names, pa.large_string())), kind="stable")[:most]
    return [Unit(int(number), units[number]) for number in sorted(smallest)]


@dataclass(frozen=True)
class LookStep:
    """Draws `each` pages of a unit's input files and writes what the fit makes of them into the folder `step`. Its
    commit's `pages` is how many were drawn."""

    fit: LearnsPages
    folder: str
    step: str
    source: Source
    source_name: str
    each: int
    skips_inputs: bool
    limits: WorkLimits = LIMITS

    @property
    def needs(self) -> Needs:
        return needs_of([self.fit])

    def run(self, unit: Unit) -> Commit:
        where = f"unit {unit.number}, {described(unit)}"
        while True:
            with suppress(BeginAgainError), Net(self.folder, unit.number, self.limits, where) as net:
                return self._sent(unit, self._drawn(unit, net))

    def _sent(self, unit: Unit, pages: pa.Table) -> Commit:
        outbox = Outbox(self.folder, self.step, unit.number)
        if pages.num_rows:
            batches = (batch for table in _cut(pages) for batch in table.to_batches())
            rows = (self.fit.look(batch) for batch in batches)
            outbox.write(DOCUMENTS, self.fit.schema(), (pa.Table.from_batches([batch]) for batch in rows))
        return outbox.done(pages=pages.num_rows)

    def _drawn(self, unit: Unit, net: Net) -> pa.Table:
        """Of the pages that are of use, those whose ids have the smallest hashes, in the order of the unit."""
        records = records_of(self.source, self.source_name, unit, ReadTally(), net, skips_inputs=self.skips_inputs)
        drawn: pa.Table | None = None
        for _, block in RowStream(records).blocks():
            table = pa.Table.from_batches([block]).filter(self.fit.of_use(block))
            drawn = table if drawn is None else pa.concat_tables([drawn, table])
            hashes = hash64(drawn["doc_id"].cast(pa.large_string()).combine_chunks())
            if len(hashes) > self.each:
                drawn = drawn.take(np.sort(np.argsort(hashes, kind="stable")[: self.each]))
        return drawn if drawn is not None else pa.table({})


def _cut(table: pa.Table) -> Iterator[pa.Table]:
    for start in range(0, table.num_rows, BATCH):
        yield table.slice(start, BATCH).combine_chunks()


@dataclass(frozen=True)
class LearnPagesStep:
    """Learns from the files `drawn` (by number) of the folder `step` and writes the asset's files into the stage's
    folder; its commit's `asset` is what `sealed` says."""

    fit: LearnsPages
    folder: str
    step: str
    drawn: tuple[int, ...]

    @property
    def needs(self) -> Needs:
        return needs_of([self.fit])

    def run(self, unit: Unit) -> Commit:
        files = self.fit.fit(self._rows())
        return sealed(unit.number, self.folder, self.fit, files, {"groups": [], "by": "", "units": len(self.drawn)})

    def _rows(self) -> Iterator[pa.RecordBatch]:
        for number in self.drawn:
            yield from read_batches(sent_path(self.folder, self.step, DOCUMENTS, number), ())

"""Draws the documents that a fit may learn from: each unit writes those of its portion whose hash is small enough."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.commits import Commit
from curation.core.protocols import Ints
from curation.engine.executor.work import Cheap, Unit
from curation.engine.fit.groups import below
from curation.engine.fit.portions import LOW, NAME, Portion, Reader
from curation.engine.run.routing import Outbox
from curation.fit.sample.drawing import GROUP, HASH

# folder of the step, and the files of its units
DRAWN = "_drawn"
DOCUMENTS = "documents"


@dataclass(frozen=True)
class Chooser:
    """Which of a portion's documents are drawn: of each group, by `names`, this share by hash."""

    reader: Reader
    names: tuple[str, ...]
    shares: tuple[float, ...]

    def chosen(self, portion: Portion) -> Iterator[tuple[pa.Table, Ints]]:
        """The portion's drawn documents with GROUP, HASH and what the reader gives, and the bytes of their texts, 0
        where these are not read; no empty tables."""
        for table in self.reader.rows(portion):
            numbers = np.zeros(table.num_rows, np.int64)
            if self.reader.by:
                numbers = np.asarray(pc.index_in(table[NAME], pa.array(self.names, pa.string())), np.int64)
            drawn = below(np.asarray(table[HASH]), numbers, self.shares)
            table = table.append_column(GROUP, pa.array(numbers)).filter(drawn)
            if table.num_rows:
                sizes = np.zeros(table.num_rows, np.int64)
                yield table, np.asarray(pc.binary_length(table["text"]), np.int64) if self.reader.texts else sizes


@dataclass(frozen=True)
class DrawStep(Cheap):
    """Writes the drawn documents of a unit's portion into a file of the folder `step`, none where there are none.

    Its commit's `groups` are [documents, bytes of their text, bytes of those that are no longer than the group's
    target] by number of the group.
    """

    folder: str
    step: str
    chooser: Chooser
    targets: tuple[float, ...]  # bytes by group
    ranked: bool  # the hashes are needed, to draw the sample from these candidates

    def run(self, unit: Unit) -> Commit:
        outbox = Outbox(self.folder, self.step, unit.number)
        totals = np.zeros((len(self.targets), 3), np.int64)
        tables = self._written(unit.payload, totals)
        first = next(tables, None)
        if first is not None:
            outbox.write(DOCUMENTS, first.schema, chain([first], tables))
        return outbox.done(groups=totals.tolist())

    def _written(self, portion: Portion, totals: Ints) -> Iterator[pa.Table]:
        reader = self.chooser.reader
        for table, sizes in self.chooser.chosen(portion):
            numbers = np.asarray(table[GROUP])
            short = sizes <= np.array(self.targets)[numbers]
            np.add.at(totals, numbers, np.stack([np.ones_like(sizes), sizes, sizes * short], axis=1))
            hashes = [GROUP, HASH, *([LOW] if reader.examples else []), "text"] if self.ranked else []
            yield table.select(list(dict.fromkeys([*reader.held, *hashes])))


def short_of(commits: Sequence[Commit], targets: Sequence[float], shares: Sequence[float]) -> list[bool]:
    """Whether each group may lack documents of its sample: only part of it was drawn, and that, without documents
    longer than the target, has no more bytes than this."""
    short = np.sum([commit.extra["groups"] for commit in commits], axis=0)[:, 2]
    return [
        bool(share < 1 and target and size <= target)
        for size, target, share in zip(short, targets, shares, strict=True)
    ]

"""The last step of a fit: the asset, from the documents that were drawn, or from the files that it indexes."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core import storage
from curation.core.commits import Commit
from curation.core.component import needs_of
from curation.core.fits import Fit, Indexes, Learns
from curation.core.input_files import InputFile
from curation.core.needs import Needs
from curation.core.new_file import write_new
from curation.core.protocols import Piece
from curation.engine.executor.work import Unit
from curation.engine.fit.distinct import BATCH_ROWS, COLUMNS, distinct
from curation.engine.fit.draw import DOCUMENTS
from curation.engine.fit.groups import SampleGroups
from curation.engine.fit.portions import Reader
from curation.engine.run.read_step import check_unchanged
from curation.engine.run.routing import sent_path
from curation.engine.run.sent_files import read_batches
from curation.fit.sample.drawing import GROUP, Drawing
from curation.fit.sample.shares import DrawnGroup


@dataclass(frozen=True)
class LearnStep:
    """Learns from the files `drawn` (by number) of the folder `step` and writes the asset's files into the stage's
    folder; its commit's `asset` is what `sealed` says."""

    fit: Learns
    folder: str
    step: str
    drawn: tuple[int, ...]
    reader: Reader
    groups: SampleGroups
    totals: tuple[tuple[int, int], ...]  # documents and bytes drawn of each group

    @property
    def needs(self) -> Needs:
        return needs_of([self.fit])

    def run(self, unit: Unit) -> Commit:
        groups = self.groups
        fit = self.fit
        totals = {name: list(both) for name, both in zip(groups.names, self.totals, strict=True)}
        figures: Mapping[str, Mapping[str, int]] = {}
        if self.reader.examples:
            rows, figures = self._examples(totals)
        elif self.reader.by:
            rows = self._balanced(totals)
        else:
            rows = (batch for table in self._tables() for batch in table.to_batches())
        files = fit.fit(batch.select(self.reader.shown) for batch in rows)
        return sealed(unit.number, self.folder, fit, files, record(self.reader, groups, totals, figures))

    def _examples(
        self, totals: dict[str, list[int]]
    ) -> tuple[Iterator[pa.RecordBatch], Mapping[str, Mapping[str, int]]]:
        rows, figures = distinct(self.groups, self.fit, self._tables(COLUMNS), self._tables())
        totals |= {name: [0, 0] for name in totals}
        count(rows, self.groups, totals)
        return iter(rows.to_batches(max_chunksize=BATCH_ROWS)), figures

    def _balanced(self, totals: dict[str, list[int]]) -> Iterator[pa.RecordBatch]:
        totals |= {name: [0, 0] for name in totals}
        drawing = Drawing(list(self.groups.wanted.values()))
        for table in self._tables():
            drawing.add(table)
        for batch in drawing.drawn():
            count(batch, self.groups, totals)
            yield batch

    def _tables(self, columns: tuple[str, ...] = ()) -> Iterator[pa.Table]:
        """The drawn documents, a batch at a time, in the order of the units."""
        for number in self.drawn:
            for batch in read_batches(sent_path(self.folder, self.step, DOCUMENTS, number), columns):
                yield pa.Table.from_batches([batch])


@dataclass(frozen=True)
class IndexStep:
    """Writes the asset's files into the stage's folder; its commit's `asset` is what `sealed` says, with the number of
    files by name. Raises InputError for a file that has changed since the plan."""

    fit: Indexes
    folder: str
    files: Mapping[str, Sequence[InputFile]]

    @property
    def needs(self) -> Needs:
        return needs_of([self.fit])

    def run(self, unit: Unit) -> Commit:
        for files in self.files.values():
            for file in files:
                check_unchanged(Piece.of(file))
        content = self.fit.index({name: [file.path for file in files] for name, files in self.files.items()})
        sample = {"files": {name: len(files) for name, files in self.files.items()}}
        return sealed(unit.number, self.folder, self.fit, content, sample)


def count(rows: pa.RecordBatch | pa.Table, groups: SampleGroups, totals: dict[str, list[int]]) -> None:
    """Adds documents and bytes of text by name of the group."""
    numbers = np.asarray(rows[GROUP])
    sizes = np.asarray(pc.binary_length(rows["text"]), np.int64)
    for number in np.unique(numbers).tolist():
        of_group = totals[groups.names[number]]
        of_group[0] += int(np.count_nonzero(numbers == number))
        of_group[1] += int(sizes[numbers == number].sum())


def record(
    reader: Reader,
    groups: SampleGroups,
    totals: Mapping[str, Sequence[int]],
    figures: Mapping[str, Mapping[str, int]] = MappingProxyType({}),
) -> dict[str, object]:
    """What a fit learned from, as its manifest has it: `by`, and per group the fields of `DrawnGroup`, its `figures`,
    and `taken_down` where files have texts that were."""
    drawn = [DrawnGroup(name, groups.sizes[name], round(groups.wanted[name]), *totals[name]) for name in groups.names]
    taken = {name: {"taken_down": count} for name, count in groups.taken.items()}
    entries = [{**asdict(one), **figures.get(one.group, {}), **taken.get(one.group, {})} for one in drawn]
    return {"by": reader.by, "groups": entries}


def sealed(unit: int, folder: str, fit: Fit, files: Mapping[str, bytes], sample: Mapping[str, object]) -> Commit:
    """Writes the files and returns the commit that names them.

    Its `extra` has `asset`: the main `file` with its SHA-256 (hex), `sample`, which tells what was learned from, and,
    where there are several `files`, the SHA-256 of each.
    """
    assert fit.asset in files, f"{type(fit).__name__} gives no {fit.asset}, only {', '.join(files)}"
    facts = {name: vars(write_new(storage.join(folder, name), content)) for name, content in sorted(files.items())}
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}
    asset: dict[str, object] = {"file": fit.asset, "sha256": digests[fit.asset], "sample": sample}
    asset |= {"files": digests} if len(files) > 1 else {}
    return Commit(unit, (), extra={"asset": asset, "files": facts})

"""One shard's files in the stages before a redacting stage, with what it redacted in place of the originals.

A row that reached the redacting stage gets the text, URL, licence and title that this stage made; one that was dropped
on the way, or there, loses its text and its title, and keeps its URL and licence without the values that the rewriters
find in them. Titles go too where the redacting stage has none, because it joins sources of which some have no page.
Rows, order, reasons, signals and numbers of bytes stay.

The first stage may have been made again since: then only its file holds originals, and the same files come out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.commits import Commit
from curation.core.composed import Files, Ints, kept_rows, read_rows, schema_of
from curation.core.document import holds_all
from curation.core.new_file import FileFacts
from curation.core.protocols import Redacting
from curation.engine.erase.replacing import Replacement, rewrite_groups
from curation.engine.executor.work import Cheap, Unit
from curation.engine.run.part_files import part_schema
from curation.engine.run.steps import ShardSources
from curation.models.redaction.beside import LICENCE, TEXT, URL, quotes, redacted_column, with_quotes

GONE = -1  # in place of a row's number: the row did not get through the redacting stage


class _Layer(NamedTuple):
    """One of a shard's files. For each of its rows, int64[N]: the number in the redacting stage, or GONE, and the
    number in the shard's first file."""

    path: str
    numbers: Ints
    first: Ints


@dataclass(frozen=True)
class OriginalsStep(Cheap):
    """Writes the new files of a shard: that of the redacting stage, and of each stage before it. `rewriters`: those
    that redact a source, in order; `sources`: of the shards."""

    replacement: Replacement
    rewriters: Mapping[str, tuple[Redacting, ...]]
    sources: ShardSources

    def run(self, unit: Unit) -> Commit:
        files: Files = unit.payload
        beside = _Beside(files, self.rewriters[self.sources[unit.number]])
        written = dict[str, dict[str, object]]()
        replaced = 0
        emptied = 0
        for layer in _layers(files):
            folder, _, name = layer.path.rpartition("/")
            facts = _write(layer, self.replacement.path(folder, name), beside)
            written[self.replacement.named(folder, name)] = asdict(facts)
            gone = int(np.count_nonzero(layer.numbers == GONE))
            replaced = replaced + len(layer.numbers) - gone
            emptied += gone
        return Commit(unit.number, (), counts={"replaced": replaced, "emptied": emptied}, extra={"files": written})


class _Beside:
    """What the rows of a shard's files hold afterwards in the columns beside the text."""

    def __init__(self, files: Files, rewriters: tuple[Redacting, ...]) -> None:
        self.redacted = files[:1]
        self.first = files[-1:]
        self.rewriters = rewriters
        self.columns = frozenset(part_schema(files[0]).names)  # of the redacting stage

    def of(self, name: str, rows: _Layer) -> pa.Array:
        """The column of the rows: those that got through as the redacting stage has it, of others the original column
        redacted."""
        column = _column(self.redacted, name, rows.numbers)
        gone = rows.numbers == GONE
        if not gone.any():
            return column
        made = _column(self.first, name, rows.first[gone])
        for rewriter in self.rewriters:
            made = redacted_column(rewriter, name, made)
        return pc.replace_with_mask(column, pa.array(gone), made)

    def quotes(self, field: pa.Field, rows: _Layer) -> pa.Array:
        """The struct of the rows with the titles that the redacting stage made, null where it has none."""
        if field.name not in self.columns:
            return pa.nulls(len(rows.numbers), field.type)
        return _column(self.redacted, field.name, rows.numbers)


def _layers(files: Files) -> Iterator[_Layer]:
    """Each of the shard's files. One of no rows is of a stage that was sealed without this shard."""
    kept = [kept_rows((path,)) for path in files]
    first = [np.arange(len(kept[-1]))]
    for earlier, later in pairwise(reversed(kept)):
        arrived = first[-1][earlier]
        first.append(arrived if len(arrived) == len(later) else arrived[:0])
    numbers = np.arange(np.count_nonzero(kept[0]))
    for place, path in enumerate(files):
        own = np.full(len(kept[place]), GONE, np.int64)
        if place == 0:
            own[kept[0]] = np.flatnonzero(kept[0])
        elif np.count_nonzero(kept[place]) == len(numbers):
            own[kept[place]] = numbers
        yield _Layer(path, own, first[-1 - place])
        numbers = own


def _write(layer: _Layer, target: str, beside: _Beside) -> FileFacts:
    def change(table: pa.Table, first: int) -> pa.Table:
        span = slice(first, first + table.num_rows)
        rows = _Layer(layer.path, layer.numbers[span], layer.first[span])
        new = [_new(field, table[field.name], rows, beside) for field in table.schema]
        return pa.table(new, schema=table.schema)

    return rewrite_groups(layer.path, target, change)


def _new(field: pa.Field, old: pa.ChunkedArray, rows: _Layer, beside: _Beside) -> pa.Array | pa.ChunkedArray:
    """The column of some rows without originals."""
    if field.name == TEXT:
        texts = holds_all(field)
        return _column(beside.redacted, TEXT, rows.numbers) if texts else pa.nulls(len(old), field.type)
    if field.name in (URL, LICENCE):
        return beside.of(field.name, rows)
    if quotes(field.type):
        return with_quotes(old.combine_chunks(), beside.quotes(field, rows))
    return old


def _column(files: Files, name: str, rows: Ints) -> pa.Array:
    """The column of the rows with these numbers (ascending) in the first of the files; null for GONE."""
    wanted = rows[rows != GONE]
    tables = read_rows(files, (name,), rows=wanted)
    chunks = [chunk for table in tables for chunk in table[name].chunks]
    found = pa.concat_arrays(chunks) if chunks else pa.nulls(0, schema_of(files, (name,)).field(name).type)
    places = np.where(rows == GONE, 0, np.cumsum(rows != GONE) - 1)
    return found.take(pa.array(places, mask=rows == GONE))

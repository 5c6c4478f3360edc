"""Replaces the originals of a sealed redacting stage in the stages before it; safe to repeat after any crash.

Tasks write the shards' new files. A row that reached the redacting stage gets the text, URL, licence and title that
this stage made; one that was dropped on the way, or there, loses its text and its title, and keeps its URL and licence
without the values that the rewriters find in them. Titles go too where the redacting stage has none, because it joins
sources of which some have no page. Rows, order, reasons, signals and numbers of bytes stay. The first stage may have
been made again since: then only its file holds originals, and the same files come out.

While a manifest has no `originals`, the same run goes on here. `originals` has the `stage` that redacted and its
`address`; in that stage also how many rows of all stages were `replaced` and `emptied`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core import storage
from curation.core.commits import COMMITS, Commit, Part
from curation.core.composed import Files, Ints, kept_rows, read_rows, schema_of
from curation.core.document import holds_all
from curation.core.manifest import MANIFEST, ORIGINALS
from curation.core.new_file import FileFacts
from curation.core.protocols import Redacting
from curation.core.shard_files import ShardFiles
from curation.core.shard_table import ShardTable
from curation.engine.erase.replacing import Replacement, folder_name, rewrite_groups
from curation.engine.executor.work import Cheap, Unit
from curation.engine.recipe.originals import stages_before
from curation.engine.run import lookup
from curation.engine.run.context import Context, run_step
from curation.engine.run.part_files import part_schema
from curation.engine.run.progress import Watch
from curation.engine.run.steps import ShardSources
from curation.models.redaction.beside import LICENCE, TEXT, URL, quotes, redacted_column, with_quotes

GONE = -1  # in place of a row's number: the row did not get through the redacting stage
Facts = Mapping[str, Mapping[str, Any]]  # bytes and blake2b of the new files, by name in the redacting stage's folder


def replace_originals(
    context: Context, stage: ShardFiles, rewriters: Mapping[str, tuple[Redacting, ...]], watch: Watch
) -> None:
    """Does it for the sealed `stage` of the context, whose sources `rewriters` redact up to it."""
    replacement = Replacement(stage.folder, ORIGINALS)
    if replacement.resume():
        return
    before = stages_before(stage)
    if all(one.manifest.originals is not None for one in (stage, *before)):
        storage.delete_folder(replacement.folder)  # left where the last step was cut off
        return
    sources = ShardSources.of([part.source for part in stage.manifest.shards.brief])
    units = [Unit(number, files) for number, files in enumerate(stage.all_files())]
    commits = run_step(context, watch, "originals", OriginalsStep(replacement, rewriters, sources), units, ORIGINALS)
    files = {name: facts for commit in commits for name, facts in commit.extra["files"].items()}
    counts = Counter[str]()
    for commit in commits:
        counts.update(commit.counts)
    gone = {"stage": stage.manifest.name, "address": stage.manifest.address}
    for earlier in before:
        if earlier.manifest.verb.begins:
            _look_up_again(context, watch, replacement, earlier)
        _recommit(replacement, earlier, files, gone)
    _recommit(replacement, stage, files, {**gone, **dict(sorted(counts.items()))})
    replacement.finish()


def _look_up_again(context: Context, watch: Watch, replacement: Replacement, first: ShardFiles) -> None:
    """Builds the look-up table of a first stage of what its new files say: no hash of an original URL stays."""
    new = [replacement.path(first.folder, folder_name(path)) for (path, *_) in first.all_files()]
    own = storage.join(replacement.folder, folder_name(first.folder))
    lookup.build(partial(run_step, replace(context, folder=own), watch), own, new)
    for name in storage.list_names(own):
        if name.startswith("_") and name not in (lookup.BUCKETS, COMMITS, MANIFEST):
            storage.delete_folder(storage.join(own, name))


def _recommit(replacement: Replacement, stage: ShardFiles, files: Facts, originals: dict[str, Any]) -> None:
    """Writes the stage's commits and manifest with the facts of its new files. What the parts count stays: it tells
    what the stage read and kept when it ran."""

    def of(part: Part) -> Part:
        facts = files[replacement.named(stage.folder, part.file)]
        return replace(part, file_bytes=facts["bytes"], blake2b=facts["blake2b"])

    def with_new(commit: Commit) -> Commit:
        return replace(commit, parts=tuple(of(part) for part in commit.parts))

    commits = tuple(map(with_new, stage.manifest.commits))
    replacement.put_commits(stage.folder, commits)
    table = ShardTable.of(commits, stage.folder, stage.manifest.chain)
    replacement.put_manifest(stage.folder, replace(stage.manifest, shards=table, originals=originals))


class _Layer(NamedTuple):
    """One of a shard's files. For each of its rows, int64[N]: the number in the redacting stage, or GONE, and the
    number in the shard's first file."""

    path: str
    numbers: Ints
    first: Ints


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

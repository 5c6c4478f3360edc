"""The map-like steps of a stage: read with extraction, judge/rewrite/encode, pack. Each unit commits itself last."""

import time
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import cast

import pyarrow as pa
import pyarrow.compute as pc

from curation.core import storage
from curation.core.component import Components, Keyed
from curation.core.credentials import masked, masked_values
from curation.core.document import DOCUMENT, RAW, empty_batch, with_text_hash
from curation.core.manifest import Commit, read_commit, read_json, write_json
from curation.core.protocols import Extractor, Filter, ReadTally, Rewriter, Source
from curation.core.verbs import Verb
from curation.engine.cascade import judging
from curation.engine.run import apply
from curation.engine.run.part_files import PartWriter, one_batch, read_part
from curation.engine.run.work import Unit, Untransformed
from curation.engine.takedown.tombstones import NONE, Tombstones, not_taken
from curation.extract.pages import PARSER
from curation.text.text_hash import text_hashes
from curation.tokens.encode import Encode
from curation.tokens.pack import SPLIT_BY, Pack
from curation.tokens.token_files import Vocabulary

COMMITS = "_commits"
READS = "_reads"  # what each reader passed over
PACKED = ("doc_id", "url", "source", "tokens", "split", "utf8_bytes", SPLIT_BY)  # columns that a packer takes
CAUGHT = "_caught"  # pages that the wall-clock or memory net dropped: one small file each, replayed on resume


@dataclass(frozen=True)
class ShardSources:
    """The source of each shard, as runs of equal ones: every task carries them, and shards may be many."""

    first: tuple[int, ...]  # shard at which each run begins
    names: tuple[str, ...]

    @classmethod
    def of(cls, names: Sequence[str]) -> "ShardSources":
        runs = [(name, sum(1 for _ in run)) for name, run in groupby(names)]
        first = tuple(sum(count for _, count in runs[:at]) for at in range(len(runs)))
        return cls(first, tuple(name for name, _ in runs))

    def __getitem__(self, shard: int) -> str:
        return self.names[bisect(self.first, shard) - 1]


def commit_path(folder: str, unit: int, commits: str = COMMITS) -> str:
    return storage.join(folder, commits, commit_name(unit))


def commit_name(unit: int) -> str:
    return f"unit-{unit:05d}.json"


def committed(folder: str, unit: int, commits: str = COMMITS) -> Commit | None:
    """The unit's commit if it is whole and its files still have the size that it states."""
    commit = read_commit(commit_path(folder, unit, commits))
    if commit is None:
        return None
    sizes = [(part.file, part.file_bytes) for part in commit.parts]
    sizes += [(name, entry["bytes"]) for name, entry in commit.extra.get("files", {}).items()]
    whole = all(storage.size(storage.join(folder, name)) == expected for name, expected in sizes)
    return commit if whole else None


@dataclass(frozen=True)
class ReadStep:
    """Records of a source to documents, through the extractor where the source yields pages."""

    folder: str
    source_name: str
    source: Source
    extractor: tuple[str, Extractor] | None
    full_bytes: int
    tombstones: Tombstones = NONE

    def read(self, unit: Unit) -> Iterator[pa.Table]:
        tally = ReadTally()
        secret = any(masked(piece.path) != piece.path for piece in unit.payload)
        for batch in self.source.read(unit.payload, self.source_name, tally):
            table = pa.Table.from_batches([batch])
            yield _without_credentials(table) if secret else table
        counts = dict(sorted(tally.records.items()))
        write_json(
            storage.join(self.folder, READS, f"unit-{unit.number:05d}.json"),
            {"counts": counts, "faults": masked_values(tally.faults)},
        )

    def transform(self, unit: int, table: pa.Table) -> pa.Table:
        batch = self.tombstones.spare(one_batch(table), partial(self._documents, unit))
        columns = {**dict(zip(batch.schema.names, batch.columns, strict=True)), "text_hash": text_hashes(batch["text"])}
        hashed = pa.RecordBatch.from_pydict(columns, schema=with_text_hash(batch.schema))
        return pa.Table.from_batches([self.tombstones.spare(hashed, lambda batch: batch)])  # what only the text shows

    def _documents(self, unit: int, batch: pa.RecordBatch) -> pa.RecordBatch:
        if self.extractor is None:
            return batch
        key, extractor = self.extractor
        caught, folder = self._caught(unit), storage.join(self.folder, CAUGHT, f"unit-{unit:05d}")

        def note(doc_id: str, cause: str) -> None:
            caught[doc_id] = cause  # whatever fails afterwards, the page is not tried again
            storage.make_folder(folder)
            write_json(storage.join(folder, f"{doc_id}.json"), {"doc_id": doc_id, "cause": cause})

        return apply.extract(key, extractor, batch, caught, note)

    def write(self, unit: int, tables: Iterable[pa.Table]) -> None:
        started = time.perf_counter()
        writer = PartWriter(self.folder, f"part-{unit:05d}", self.schema(), self.source_name, self.full_bytes)
        judge = judging(self.extractor[1]) if self.extractor else ()
        fired: dict[str, int] = {}
        parsers: Counter[str] = Counter()
        for table in tables:
            writer.add(table)
            if self.extractor:
                extract = pa.Table.from_struct_array(not_taken(table)["extract"])
                apply.count_fired(judge, extract, fired)
                pages = pc.value_counts(extract[PARSER].drop_null()).to_pylist()
                parsers.update({one["values"]: one["counts"] for one in pages})
        parts = writer.close()
        seen = read_json(storage.join(self.folder, READS, f"unit-{unit:05d}.json"))
        assert seen is not None, "the reader ends with its tally"
        extra = {"parsers": dict(parsers)} if parsers else {}
        counted = Commit(unit, parts, fired, seen["counts"], tuple(seen["faults"]), extra)
        commit(self.folder, counted, started)

    def schema(self) -> pa.Schema:
        if self.extractor is None:
            return with_text_hash(DOCUMENT)
        empty: pa.RecordBatch = self.extractor[1].extract(empty_batch(RAW), {}, _ignore)
        return with_text_hash(empty.schema)

    def _caught(self, unit: int) -> dict[str, str]:
        folder = storage.join(self.folder, CAUGHT, f"unit-{unit:05d}")
        notes = (read_json(storage.join(folder, name)) for name in storage.list_names(folder))
        return {note["doc_id"]: note["cause"] for note in notes if note is not None}


def _without_credentials(table: pa.Table) -> pa.Table:
    """The documents with the URIs that they came from as these may be shown."""
    origins = table["origin"].combine_chunks().dictionary_encode()
    shown = pa.array([masked(uri) for uri in origins.dictionary.to_pylist()], pa.string())
    return table.set_column(
        table.schema.get_field_index("origin"), table.schema.field("origin"), shown.take(origins.indices)
    )


def _ignore(doc_id: str, cause: str) -> None:
    raise AssertionError("an empty batch has no pages to catch")


@dataclass(frozen=True)
class MapStep:
    """The kept rows of a shard through the components of one filter, rewrite or tokenize stage."""

    folder: str
    verb: Verb
    components: Components
    columns: tuple[str, ...]
    sources: ShardSources
    schema: pa.Schema = field(repr=False)
    tombstones: Tombstones = NONE

    def read(self, unit: Unit) -> Iterator[pa.Table]:
        for table in read_part(unit.payload, columns=self.columns):
            yield table.drop_columns(["_row"])

    def transform(self, unit: int, table: pa.Table) -> pa.Table:
        call = partial(mapped, self.verb, self.components)
        return pa.Table.from_batches([self.tombstones.spare(one_batch(table), call)])

    def write(self, unit: int, tables: Iterable[pa.Table]) -> None:
        started = time.perf_counter()
        writer = PartWriter(self.folder, f"part-{unit:05d}", self.schema, self.sources[unit])
        fired: dict[str, int] = {}
        edits: dict[str, int] = {}
        for table in tables:
            writer.add(table)
            if self.verb.judges:
                apply.count_fired(cast(Keyed[Filter], self.components), not_taken(table), fired)
            elif self.verb.edits:
                apply.count_edits([key for key, _ in self.components], table, edits)
        commit(self.folder, Commit(unit, writer.close(), fired=fired, counts=edits), started)


def mapped(verb: Verb, components: Components, batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch with the columns that the stage's components add."""
    if verb.judges:
        return apply.judge(cast(Keyed[Filter], components), batch)
    if verb.edits:
        return apply.rewrite(cast(Keyed[Rewriter], components), batch)
    ((key, encoder),) = cast(Keyed[Encode], components)
    return apply.encode(key, encoder, batch)


@dataclass(frozen=True)
class PackStep(Untransformed):
    """A shard's tokens into rows of fixed length: one token shard per shard."""

    folder: str
    packer: Pack
    vocabulary: Vocabulary
    sources: ShardSources
    columns = ("doc_id", "url", "source", "text", "tokens", "split")

    def read(self, unit: Unit) -> Iterator[pa.Table]:
        split_by = self.packer.split_by
        columns = self.columns if split_by is None else (*self.columns, split_by.column)
        for table in read_part(unit.payload, columns=columns):
            table = table.filter(table["tokens"].is_valid())  # a document that was taken down has none
            sizes = pc.fill_null(pc.binary_length(table["text"]), 0).cast(pa.int64())
            table = table.append_column("utf8_bytes", sizes)
            if split_by is not None:
                table = table.append_column(SPLIT_BY, split_by.of(table))
            yield table.select([name for name in PACKED if name in table.column_names])

    def write(self, unit: int, tables: Iterable[pa.Table]) -> None:
        started = time.perf_counter()
        batches = (one_batch(table) for table in tables)
        parts = self.packer.pack(unit, batches, self.folder, source=self.sources[unit], vocabulary=self.vocabulary)
        files = {name: entry for part in parts for name, entry in part["files"].items()}
        commit(self.folder, Commit(unit, (), extra={"files": files, "parts": parts}), started)


def commit(folder: str, done: Commit, started: float, commits: str = COMMITS) -> None:
    values = {**done.__dict__, "seconds": round(time.perf_counter() - started, 3)}
    write_json(commit_path(folder, done.unit, commits), Commit(**values))

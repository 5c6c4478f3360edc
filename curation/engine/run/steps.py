"""Steps over the kept rows of a shard: judge, rewrite or encode them, or pack their tokens."""

from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.by_language import LANGUAGE
from curation.core.commits import Commit
from curation.core.component import Components, each, needs_of
from curation.core.composed import Files, all_columns
from curation.core.document import IDS
from curation.core.filter import Filter
from curation.core.judging import count_fired, count_without_model
from curation.core.needs import Needs
from curation.core.net import Net
from curation.core.verbs import Verb
from curation.core.watchdog import LIMITS, WorkLimits
from curation.engine import apply
from curation.engine.executor.failures import described
from curation.engine.executor.work import Cheap, Unit
from curation.engine.recipe.schemas import after
from curation.engine.removed.tombstones import NAMED_BY, NONE, Tombstones, not_taken
from curation.engine.run.blank_texts import drop_blank
from curation.engine.run.part_files import PartWriter, one_batch, read_part
from curation.engine.run.row_stream import RowStream, read_ahead
from curation.engine.run.token_units import ShardRun
from curation.models.redaction.beside import columns_beside, redacting
from curation.tokens.pack import SPLIT_BY, Pack
from curation.tokens.token_files import Vocabulary

PACKED = ("doc_id", "url", "source", "tokens", "split", "utf8_bytes", SPLIT_BY)  # columns that a packer takes


@dataclass(frozen=True)
class ShardSources:
    """The source of each shard, as runs of equal sources: every task carries this, and there may be many shards."""

    first: tuple[int, ...]  # shard at which each run begins
    names: tuple[str, ...]

    @classmethod
    def of(cls, names: Sequence[str]) -> "ShardSources":
        runs = [(name, sum(1 for _ in run)) for name, run in groupby(names)]
        first = tuple(sum(count for _, count in runs[:at]) for at in range(len(runs)))
        return cls(first, tuple(name for name, _ in runs))

    def __getitem__(self, shard: int) -> str:
        return self.names[bisect(self.first, shard) - 1]


def columns_of(components: Components, given: pa.Schema, tombstones: Tombstones) -> tuple[str, ...]:
    """Columns that a stage reads when it writes only its own: those of its components, or their own where `given` has
    it because they were measured before, those that identify documents, those that it redacts beside the text, and the
    text, which is counted, and written for dropped rows."""
    names: list[str] = []
    for key, component in components:
        reads = component.reads
        measured = key in given.names and isinstance(component, Filter)
        names += [key, *(name for name in reads if name == LANGUAGE)] if measured else reads
    beside = columns_beside(given) if redacting(components) else ()
    return tuple(dict.fromkeys([*IDS, "text", *names, *beside, *(NAMED_BY if tombstones.mark else ())]))


def there(components: Components, columns: Sequence[str], files: Files) -> list[str]:
    """Columns beside `columns` that components read of those shards that have them, of the shard with these files."""
    wanted = [name for _, one in components for name in one.reads_if_there]
    wanted = [name for name in dict.fromkeys(wanted) if name not in columns]
    return [name for name in wanted if name in all_columns(files).names] if wanted else []


@dataclass(frozen=True)
class MapStep:
    """Applies the components of one filter, rewrite or tokenize stage to the kept rows of a shard."""

    folder: str
    verb: Verb
    components: Components
    columns: tuple[str, ...]
    sources: ShardSources
    schema: pa.Schema = field(repr=False)
    tombstones: Tombstones = NONE
    limits: WorkLimits = LIMITS

    @property
    def needs(self) -> Needs:
        return needs_of(component for _, component in self.components)

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(key for key, _ in self.components)

    def run(self, unit: Unit) -> Commit:
        fired: dict[str, int] = {}
        counts: dict[str, int] = {}
        with self._net(unit) as net, self._writer(unit) as writer:
            call = partial(apply.mapped, self.verb, self.components, within=net.within)
            for batch, crashed in self._rows(unit).with_crashed(unit.crashed):
                spare = partial(self.tombstones.spare, call=call)
                schema = after(self.verb, self.components, batch.schema)
                mapped = apply.spare_crashed(batch, crashed, schema, spare)
                # Of a text that rewriters have emptied, a token shard would have an end of text and nothing before it.
                table = pa.Table.from_batches([drop_blank(mapped) if self.verb.encodes else mapped])
                writer.add(table)
                if self.verb.judges:
                    filters = each(Filter, self.components)
                    count_fired(filters, not_taken(table), fired)
                    count_without_model(filters, not_taken(table), counts)
                    apply.count_without_kit(filters, not_taken(table), counts)
                elif self.verb.edits:
                    apply.count_edits(self.keys, table, counts)
                else:
                    apply.count_held_out(table, counts)
            return Commit(unit.number, writer.close(), fired=fired, counts=counts)

    def empty(self, unit: Unit) -> Commit:
        with self._writer(unit) as writer:
            return Commit(unit.number, writer.close())

    def probe(self, unit: Unit, start: int, stop: int, key: str | None) -> int:
        components = tuple(entry for entry in self.components if key is None or entry[0] == key)
        rows = self._rows(unit)
        with self._net(unit) as net:
            call = partial(apply.mapped, self.verb, components, within=net.within)
            for batch in rows.between(start, stop):
                self.tombstones.spare(batch, call)
        return rows.seen

    def _net(self, unit: Unit) -> Net:
        return Net(self.folder, unit.number, self.limits, f"unit {unit.number}, {described(unit)}")

    def _rows(self, unit: Unit) -> RowStream:
        columns = (*self.columns, *there(self.components, self.columns, unit.payload))
        batches = (one_batch(table.drop_columns(["_row"])) for table in read_part(unit.payload, columns=columns))
        return RowStream(read_ahead(batches) if self.needs.num_gpus else batches)

    def _writer(self, unit: Unit) -> PartWriter:
        return PartWriter(self.folder, unit.number, self.schema, self.sources[unit.number])


@dataclass(frozen=True)
class PackStep(Cheap):
    """Packs the tokens of a unit's document shards in the rows of one token shard; a payload is a ShardRun."""

    folder: str
    packer: Pack
    vocabulary: Vocabulary
    special: tuple[int, ...] = ()  # ids that no text becomes
    columns = ("doc_id", "url", "source", "text", "tokens", "split")

    def run(self, unit: Unit) -> Commit:
        return self._commit(unit, (one_batch(table) for path in unit.payload.paths for table in self._tables(path)))

    def empty(self, unit: Unit) -> Commit:
        return self._commit(unit, iter(()))

    def _commit(self, unit: Unit, batches: Iterator[pa.RecordBatch]) -> Commit:
        shards: ShardRun = unit.payload
        packed = self.packer.pack(
            unit.number,
            batches,
            self.folder,
            source=shards.source,
            vocabulary=self.vocabulary,
            special=self.special,
        )
        parts = [{**part, "shards": [shards.first, shards.count]} for part in packed]
        files = {name: entry for part in packed for name, entry in part["files"].items()}
        return Commit(unit.number, (), extra={"files": files, "parts": parts})

    def _tables(self, path: str) -> Iterator[pa.Table]:
        split_by = self.packer.split_by
        columns = self.columns if split_by is None else (*self.columns, split_by.column)
        for table in read_part((path,), columns=columns):  # the last stage of a chain has all columns
            table = table.filter(table["tokens"].is_valid())  # a document that was taken down has none
            sizes = pc.fill_null(pc.binary_length(table["text"]), 0).cast(pa.int64())
            table = table.append_column("utf8_bytes", sizes)
            if split_by is not None:
                table = table.append_column(SPLIT_BY, split_by.of(table))
            yield table.select([name for name in PACKED if name in table.column_names])

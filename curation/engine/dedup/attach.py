"""Last step: a shard's rows with the columns of all methods, and the reason of those that are dropped."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core import storage
from curation.core.commits import GROUP_UNITS, Commit, group_path, read_group
from curation.core.document import ROW_BITS, pack_doc
from curation.core.protocols import DedupMethod, Ints, Keys, Links, Methods, Refines
from curation.core.reasons import duplicate_reason
from curation.dedup.clusters.groups import find
from curation.dedup.merged_spans import merge_spans
from curation.engine.dedup.columns import LINKS_COLUMN, MEMBERS_COLUMN, SPANS_COLUMN, lists_spans
from curation.engine.dedup.layout import KEYS, REFINED, Layout
from curation.engine.dedup.repeated_keys import RepeatedKeys, SentRows
from curation.engine.run.part_files import PartWriter, one_batch, read_part
from curation.engine.run.steps import ShardSources
from curation.engine.run.work import Needs, Unit, needs_of
from curation.text.kernels.buffers import text_buffers

Bools = npt.NDArray[np.bool_]


class ShardErrors:
    """The documents that no keys could be made of. Remembers the last shard: a step asks for it once per batch."""

    def __init__(self, layout: Layout) -> None:
        self._layout, self._shard, self._errors = layout, -1, dict[int, str]()

    def of(self, shard: int) -> Mapping[int, str]:
        """Reason by row."""
        if shard != self._shard:
            group = shard // GROUP_UNITS
            paths = [group_path(self._layout.folder, group, name) for name in (KEYS, REFINED)]
            commits = [one for path in paths if storage.exists(path) for one in read_group(path) if one.unit == shard]
            self._errors = {row: reason for commit in commits for row, reason in commit.extra["errors"]}
            self._shard = shard
        return self._errors


@dataclass(frozen=True, kw_only=True)
class AttachStep:
    """`verdicts` are those on documents that are linked; `repeated` and `refined` the repeated keys of both rounds."""

    layout: Layout
    methods: Methods
    verdicts: SentRows
    repeated: RepeatedKeys
    refined: RepeatedKeys
    errors: ShardErrors
    columns: tuple[str, ...]
    sources: ShardSources
    schema: pa.Schema = field(repr=False)

    @property
    def needs(self) -> Needs:
        return needs_of(method for _, method in self.methods)

    def run(self, unit: Unit) -> Commit:
        with self._writer(unit) as writer:
            for table in read_part(unit.payload, columns=self.columns):
                writer.add(self.attached(unit.number, table))
            return Commit(unit.number, writer.close())

    def empty(self, unit: Unit) -> Commit:
        with self._writer(unit) as writer:
            return Commit(unit.number, writer.close())

    def _writer(self, unit: Unit) -> PartWriter:
        return PartWriter(self.layout.folder, f"part-{unit.number:05d}", self.schema, self.sources[unit.number])

    def attached(self, unit: int, table: pa.Table) -> pa.Table:
        """Rows of the shard with the columns of all methods and their reasons."""
        docs = pack_doc(unit, np.asarray(table["_row"]))
        reasons, errors = table["drop_reason"], self.errors.of(unit)
        if errors:
            failed = pa.array([errors.get(row) for row in table["_row"].to_pylist()], pa.string())
            reasons = pc.coalesce(reasons, failed)
        replaced = [key for key, _ in self.methods if key in table.column_names]  # of an earlier dedup stage
        table = table.drop_columns(["_row", "drop_reason", *replaced])
        batch, verdicts = one_batch(table), self.verdicts.of(unit)
        whole = np.flatnonzero(~np.isin(docs, pack_doc(unit, np.array(list(errors), np.int64))))
        for number, (key, method) in enumerate(self.methods):
            if isinstance(method, Links):
                values, dropped = _linked(number, docs, verdicts)
            else:
                values, dropped = self._looked_up(method, number, batch, docs, whole)
            table = table.append_column(key, values)
            reasons = pc.coalesce(reasons, pc.if_else(dropped, duplicate_reason(key), pa.scalar(None, pa.string())))
        return table.append_column("drop_reason", reasons)

    def _looked_up(
        self, method: DedupMethod, number: int, batch: pa.RecordBatch, docs: Ints, whole: Ints
    ) -> tuple[pa.Array, pa.Array]:
        """The column of a method of spans or members, and bool[N]: whom it drops. The keys of the rows `whole`, on
        which no method failed, are made again and looked up among those that were sent back."""
        shard = int(docs[0] >> ROW_BITS)
        asked = batch if len(whole) == len(docs) else batch.take(pa.array(whole))
        sent = self.repeated.of(shard, number)
        if isinstance(method, Refines):
            keys = method.refine(asked, np.asarray(sent["key_hi"]), np.asarray(sent["key_lo"]))
            sent = self.refined.of(shard, number)
        else:
            keys = method.keys(asked)
        keys = dataclasses.replace(keys, row=whole[keys.row])
        at = find(keys.hi, keys.lo, np.asarray(sent["key_hi"]), np.asarray(sent["key_lo"]))
        hit = at >= 0
        hit[hit] = np.asarray(sent["best"])[at[hit]] != docs[keys.row[hit]]
        if lists_spans(method):
            return _spans(method, batch.column("text"), keys, hit), pa.array(np.zeros(len(docs), bool))
        member = np.zeros(len(docs), bool)
        member[keys.row[hit]] = True
        return pa.StructArray.from_arrays([pa.array(member)], fields=list(MEMBERS_COLUMN)), pa.array(member)


def _linked(number: int, docs: Ints, verdicts: pa.Table) -> tuple[pa.Array, pa.Array]:
    """The column of a method of links, and bool[N]: whom it drops. A document without links of it stands alone."""
    known = np.asarray(verdicts["doc"])
    at = np.searchsorted(known, docs)
    hit = at < len(known)
    hit[hit] = known[at[hit]] == docs[hit]
    hit[hit] = (np.asarray(verdicts["methods"])[at[hit]] >> np.uint32(number)) & 1 == 1
    index = pa.array(np.where(hit, at, 0), mask=~hit)
    survivor, copies, cluster = (
        verdicts[name].combine_chunks().take(index) for name in ("survivor", "copies", "cluster")
    )
    doomed = pc.fill_null(pc.not_equal(survivor, pa.array(docs)), False)
    survivor = pc.if_else(doomed, survivor, pa.scalar(None, pa.int64()))
    arrays = [survivor, pc.fill_null(copies, 1), cluster]
    return pa.StructArray.from_arrays(arrays, fields=list(LINKS_COLUMN)), doomed


def _spans(method: DedupMethod, text: pa.Array, keys: Keys, repeated: Bools) -> pa.Array:
    rows = len(text)
    assert keys.start is not None, "a method of spans gives them"
    assert keys.stop is not None, "and both ends"
    spans = merge_spans(keys.row[repeated], keys.start[repeated], keys.stop[repeated], rows)
    if isinstance(method, Refines):
        spans = method.fit(text, spans)
    _, offsets = text_buffers(text)
    counts = [np.bincount(keys.row, minlength=rows), np.bincount(keys.row[repeated], minlength=rows), np.diff(offsets)]
    arrays = [spans, *(pa.array(count.astype(np.int64)) for count in counts)]
    return pa.StructArray.from_arrays(arrays, fields=list(SPANS_COLUMN))

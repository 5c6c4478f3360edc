"""First step, per shard: its keys in order of their prefix, and the signatures that verify what keys only suggest;
`key_rows` makes the rows."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.commits import Commit
from curation.core.component import needs_of
from curation.core.dedup_methods import DedupMethod, Keys, Methods, Verifies
from curation.core.document import ROW_BITS, pack_doc
from curation.core.guarded import attempt
from curation.core.needs import Needs
from curation.core.reasons import TAKEDOWN, error_reason
from curation.dedup.clusters.survival import Keep
from curation.engine.dedup.key_rows import (
    RAW,
    collapsed,
    from_signatures,
    numbered,
    rows_of,
    thinned,
    unsigned,
)
from curation.engine.dedup.layout import LINK_SCHEMA, Layout, key_schema
from curation.engine.dedup.repeated_keys import RepeatedKeys
from curation.engine.dedup.taken import NOTHING, TakenCopies
from curation.engine.executor.work import Unit
from curation.engine.removed.tombstones import NONE, Tombstones
from curation.engine.run.exchange import PORTIONS
from curation.engine.run.part_files import one_batch, read_part
from curation.engine.run.routing import ByKey, Outbox

Call = Callable[[pa.RecordBatch], Keys | pa.Array]
CANDIDATES = "candidates"  # file of those between documents of one shard
OWN_RANKS = 1  # ranks of the run's own documents begin here: 0 is for those of earlier runs, which stay


@dataclass(frozen=True)
class ShardKeys:
    """The keys of a shard, each once; links and candidates between its own documents; the signatures by method; (row,
    reason) of each row that a method failed on; and by method the rows that `pairs` skipped."""

    keys: pa.Table
    links: pa.Table
    candidates: pa.Table
    signatures: dict[str, pa.Table]
    errors: list[tuple[int, str]]
    skipped: dict[str, int]


@dataclass(frozen=True)
class KeysStep:
    """Writes the keys of a shard. `columns` are those that the methods and `keep` read and, where there are tombstones,
    those that identify documents. `taken`: what is left of documents that were taken down elsewhere."""

    layout: Layout
    methods: Methods
    columns: tuple[str, ...]
    keep: Keep
    tombstones: Tombstones = NONE
    taken: TakenCopies = NOTHING

    @property
    def needs(self) -> Needs:
        return needs_of(method for _, method in self.methods)

    def run(self, unit: Unit) -> Commit:
        layout = self.layout
        shard = unit.number
        shard_keys = self.keys_of(shard, read_part(unit.payload, columns=self.columns))
        keys = shard_keys.keys
        outbox = Outbox(layout.folder, layout.keyed, shard)
        outbox.send("keys", keys, ByKey(), PORTIONS)
        if shard_keys.links.num_rows:
            outbox.put("links", shard_keys.links)
        if shard_keys.candidates.num_rows:
            outbox.put(CANDIDATES, shard_keys.candidates)
        for key, signatures in shard_keys.signatures.items():
            outbox.put(key, signatures.select(["doc", "signature"]))
        return outbox.done(
            rows=keys.num_rows,
            row_bytes=keys.nbytes,
            links=shard_keys.links.num_rows,
            candidates=shard_keys.candidates.num_rows,
            counts=shard_keys.skipped,
            errors=[[(shard << ROW_BITS) | row, reason] for row, reason in sorted({*shard_keys.errors})],
        )

    def keys_of(self, shard: int, tables: Iterable[pa.Table]) -> ShardKeys:
        """The keys of all rows of the shard; `tables` have them in order."""
        rows: dict[str, list[pa.Table]] = {key: [] for _, key, _ in self.asked()}
        errors: list[tuple[int, str]] = []
        for table in tables:
            table, gone = self._spared(table)
            errors += [(row, TAKEDOWN) for row in gone]
            batch = one_batch(table)
            rank = np.minimum(self.keep.ranks(batch), np.uint32(0xFFFFFFFE)) + np.uint32(OWN_RANKS)
            for number, key, method in self.asked():
                for piece, first, result in _pieces(self.call(shard, number, method), batch):
                    if isinstance(result, Exception):
                        errors.append((piece.column("_row")[0].as_py(), error_reason(key, result)))
                        continue
                    numbers = np.asarray(piece.column("_row"))
                    copies = self.taken.among(key, method, result, piece.num_rows)
                    errors += [(row, TAKEDOWN) for row in numbers[copies].tolist()]
                    docs = pack_doc(shard, numbers)
                    ranks = rank[first : first + piece.num_rows]
                    rows[key].append(rows_of(result, docs, ranks))
        if errors:  # what one method fails on is dropped, so it must not stand for its copies in another
            failed = pa.array([shard << ROW_BITS | row for row, _ in errors], pa.int64())
            for key in rows:
                rows[key] = [part.filter(pc.invert(pc.is_in(part["doc"], failed))) for part in rows[key]]
        return self._together(rows, errors)

    def _spared(self, table: pa.Table) -> tuple[pa.Table, list[int]]:
        """The rows that were not taken down, and the row numbers of those that were."""
        if not self.tombstones.mark:
            return table, []
        down = pa.array(self.tombstones.mask(table))
        return table.filter(pc.invert(down)), table["_row"].filter(down).to_pylist()

    def asked(self) -> list[tuple[int, str, DedupMethod]]:
        """The methods that give keys in this step, with their numbers."""
        return [(number, key, method) for number, (key, method) in enumerate(self.methods)]

    def call(self, shard: int, number: int, method: DedupMethod) -> Call:
        """What the step calls with each batch of the shard."""
        return method.sign if isinstance(method, Verifies) else method.keys

    def _together(self, rows: dict[str, list[pa.Table]], errors: list[tuple[int, str]]) -> ShardKeys:
        links = [LINK_SCHEMA.empty_table()]
        candidates = [LINK_SCHEMA.empty_table()]
        keys = []
        signatures = {}
        skipped: dict[str, int] = {}
        for number, key, method in self.asked():
            if isinstance(method, Verifies):
                signatures[key] = pa.concat_tables([unsigned(method), *rows[key]])
                linked, own = from_signatures(method, signatures[key])
                own, paired, count = thinned(method, own)
                candidates.append(numbered(paired, number).select(LINK_SCHEMA.names))
                skipped |= {f"{key}.skipped": count} if count else {}
            else:
                linked, own = collapsed(method, pa.concat_tables([RAW.empty_table(), *rows[key]]))
            keys.append(numbered(own, number))
            links.append(numbered(linked, number).select(LINK_SCHEMA.names))
        schema = key_schema(self.methods)
        together = pa.concat_tables(keys).select(schema.names).cast(schema)
        return ShardKeys(together, pa.concat_tables(links), pa.concat_tables(candidates), signatures, errors, skipped)


@dataclass(frozen=True)
class RefineStep(KeysStep):
    """Writes the keys of the second round for all shards of a block, of the methods that have one. A unit's payload is
    a `Block` that was sent the repeated keys of the first round."""

    repeated: RepeatedKeys | None = None  # of the block

    def run(self, unit: Unit) -> Commit:
        layout = self.layout
        block = unit.payload
        step = replace(self, repeated=RepeatedKeys(block.sent["repeated"]))
        keys = [key_schema(self.methods).empty_table()]
        errors = []
        for shard, path in block.shards():
            shard_keys = step.keys_of(shard, read_part(path, columns=self.columns))
            keys.append(shard_keys.keys)
            errors += [[(shard << ROW_BITS) | row, reason] for row, reason in sorted(shard_keys.errors)]
        rows = pa.concat_tables(keys)
        outbox = Outbox(layout.folder, layout.keyed, unit.number)
        outbox.send("keys", rows, ByKey(), PORTIONS)
        return outbox.done(rows=rows.num_rows, row_bytes=rows.nbytes, errors=errors)

    def asked(self) -> list[tuple[int, str, DedupMethod]]:
        return [entry for entry in super().asked() if entry[2].rounds > 1]

    def call(self, shard: int, number: int, method: DedupMethod) -> Call:
        assert self.repeated is not None, "it is read when the block is"
        keys = self.repeated.of(shard, number)
        return partial(method.refine, hi=np.asarray(keys["key_hi"]), lo=np.asarray(keys["key_lo"]))


def _pieces(call: Call, batch: pa.RecordBatch) -> Iterator[tuple[pa.RecordBatch, int, Keys | pa.Array | Exception]]:
    """Slices of the batch, each with the number of its first row and the method's result or exception."""
    first = 0
    for piece, result in attempt(call, batch):
        yield piece, first, result
        first += piece.num_rows


def columns_read(methods: Methods, keep: Keep) -> tuple[str, ...]:
    """Columns that the methods and the order of survival read, each once."""
    return tuple(dict.fromkeys([*(name for _, method in methods for name in method.reads), *keep.columns()]))

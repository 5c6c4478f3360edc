"""First step of a dedup stage: each shard's keys, in buckets, with the signatures that prove what keys only suggest.

A shard writes an equal key once, for its best-ranked document; its other documents with that key are linked to that
one here, so a million copies of one text cost their bucket one row per shard.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.commits import Commit
from curation.core.document import DOCUMENT, ROW_BITS, bucket_of, empty_batch, pack_doc
from curation.core.protocols import DedupMethod, Embeds, Ints, Keys, Links, Methods, Refines, Vectors, Verifies
from curation.core.reasons import TAKEDOWN, error_reason
from curation.dedup.clusters.groups import of_all
from curation.dedup.clusters.survival import Keep
from curation.engine.dedup.layout import LINK_SCHEMA, VECTORS_SCHEMA, Layout, distinct, key_schema
from curation.engine.dedup.repeated_keys import RepeatedKeys
from curation.engine.dedup.sketches import only_repeated
from curation.engine.run import apply
from curation.engine.run.part_files import one_batch, read_part
from curation.engine.run.routing import done, write_routed, write_table
from curation.engine.run.work import Needs, Unit, needs_of
from curation.engine.takedown.tombstones import NONE, Tombstones
from curation.text.kernels.hashing import hash128

Ranks = npt.NDArray[np.uint32]
Call = Callable[[pa.RecordBatch], Keys | pa.Array]
OWN_RANKS = 1  # ranks of the run's own documents begin here: 0 is for those of earlier runs, which stay


@dataclass(frozen=True)
class ShardKeys:
    """What a shard's rows give: its keys, each once, links between its own documents, the signatures by method, and
    (row, reason) of the rows that a method failed on."""

    keys: pa.Table
    links: pa.Table
    signatures: dict[str, pa.Table]
    errors: list[tuple[int, str]]


@dataclass(frozen=True)
class KeysStep:
    """Keys of a shard's rows. `columns` are those that the methods and `keep` read and, where there are tombstones,
    those that identify their documents."""

    layout: Layout
    methods: Methods
    columns: tuple[str, ...]
    keep: Keep
    sketched: bool = False  # a pre-pass has counted the keys: those that occur once are not written
    tombstones: Tombstones = NONE

    @property
    def needs(self) -> Needs:
        return needs_of(method for _, method in self.methods)

    def run(self, unit: Unit) -> Commit:
        layout, shard = self.layout, unit.number
        shard_keys = self.keys_of(shard, read_part(unit.payload, columns=self.columns))
        files = [layout.keys(shard), layout.file(layout.keyed, "links", shard)]
        keys = only_repeated(layout, self.methods, shard_keys.keys) if self.sketched else shard_keys.keys
        write_routed(files[0], keys, bucket_of(np.asarray(keys["key_hi"]), layout.buckets), layout.buckets)
        write_table(files[1], shard_keys.links)
        for key, signed in shard_keys.signatures.items():
            files.append(layout.signatures(shard, key))
            write_table(files[-1], signed.select(["doc", "signature"]))
        extra = {"rows": keys.num_rows, "found": shard_keys.keys.num_rows, "links": shard_keys.links.num_rows}
        return done(layout.folder, shard, files, errors=sorted(shard_keys.errors), **extra)

    def keys_of(self, shard: int, tables: Iterable[pa.Table]) -> ShardKeys:
        """Of all rows of the shard, which `tables` have in order."""
        rows: dict[str, list[pa.Table]] = {key: [] for _, key, _ in self.asked()}
        errors: list[tuple[int, str]] = []
        for table in tables:
            table, gone = self._spared(table)
            errors += [(row, TAKEDOWN) for row in gone]
            batch = one_batch(table)
            rank = np.minimum(self.keep.ranks(batch), np.uint32(0xFFFFFFFE)) + np.uint32(OWN_RANKS)
            for number, key, method in self.asked():
                signs = isinstance(method, Verifies)
                for piece, first, result in _pieces(self.call(shard, number, method), batch):
                    if isinstance(result, Exception):
                        errors.append((piece.column("_row")[0].as_py(), error_reason(key, result)))
                        continue
                    docs = pack_doc(shard, np.asarray(piece.column("_row")))
                    ranks = rank[first : first + piece.num_rows]
                    rows[key].append(_signed(result, docs, ranks) if signs else _rows(result, docs, ranks))
        if errors:  # what one method fails on is dropped, so it must not stand for its copies in another
            failed = pa.array([shard << ROW_BITS | row for row, _ in errors], pa.int64())
            rows = {key: [one.filter(pc.invert(pc.is_in(one["doc"], failed))) for one in rows[key]] for key in rows}
        return self._together(rows, errors)

    def _spared(self, table: pa.Table) -> tuple[pa.Table, list[int]]:
        """The rows that were not taken down, and the numbers of those that were."""
        if not self.tombstones.mark:
            return table, []
        taken = pa.array(self.tombstones.mask(table))
        return table.filter(pc.invert(taken)), table["_row"].filter(taken).to_pylist()

    def asked(self) -> list[tuple[int, str, DedupMethod]]:
        """The methods that give keys in this step, with their numbers."""
        return [(number, key, method) for number, (key, method) in enumerate(self.methods)]

    def call(self, shard: int, number: int, method: DedupMethod) -> Call:
        """What is asked of the method for a batch of the shard."""
        return method.sign if isinstance(method, Verifies) else method.keys

    def _together(self, rows: dict[str, list[pa.Table]], errors: list[tuple[int, str]]) -> ShardKeys:
        links, keys, signatures = [LINK_SCHEMA.empty_table()], [], {}
        for number, key, method in self.asked():
            if isinstance(method, Verifies):
                signatures[key] = pa.concat_tables([_unsigned(method), *rows[key]])
                linked, own = _from_signatures(method, signatures[key])
            else:
                linked, own = _collapsed(method, pa.concat_tables([_RAW.empty_table(), *rows[key]]))
            keys.append(_numbered(own, number))
            links.append(_numbered(linked, number).select(LINK_SCHEMA.names))
        schema = key_schema(self.methods)
        together = pa.concat_tables(keys).select(schema.names).cast(schema)
        return ShardKeys(together, pa.concat_tables(links), signatures, errors)


_RAW = pa.schema([f for f in VECTORS_SCHEMA if f.name not in ("copies", "method")])


@dataclass(frozen=True)
class RefineStep(KeysStep):
    """Keys of the second round, of methods that have one; `repeated` are those of the first."""

    repeated: RepeatedKeys = field(kw_only=True)

    def asked(self) -> list[tuple[int, str, DedupMethod]]:
        return [one for one in super().asked() if isinstance(one[2], Refines)]

    def call(self, shard: int, number: int, method: DedupMethod) -> Call:
        assert isinstance(method, Refines), "the others are not asked again"
        keys = self.repeated.of(shard, number)
        return partial(method.refine, hi=np.asarray(keys["key_hi"]), lo=np.asarray(keys["key_lo"]))


def _pieces(call: Call, batch: pa.RecordBatch) -> Iterator[tuple[pa.RecordBatch, int, Keys | pa.Array | Exception]]:
    """Slices of the batch, each with its first row and what the method gave for it, or its exception."""
    first = 0
    for piece, result in apply.attempt(call, batch):
        yield piece, first, result
        first += piece.num_rows


def _rows(keys: Keys, docs: Ints, ranks: Ranks) -> pa.Table:
    count = len(keys.hi)
    vector = pa.nulls(count, pa.list_(pa.float32())) if keys.vector is None else _lists(keys.vector)
    arrays = [pa.array(keys.hi), pa.array(keys.lo), pa.array(docs[keys.row]), pa.array(ranks[keys.row]), vector]
    return pa.Table.from_arrays(arrays, schema=_RAW)


def _lists(vectors: Vectors) -> pa.Array:
    offsets = np.arange(len(vectors) + 1, dtype=np.int32) * np.int32(vectors.shape[1])
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(vectors.reshape(-1)))


def _signed(signatures: pa.Array, docs: Ints, ranks: Ranks) -> pa.Table:
    arrays = [pa.array(docs), pa.array(ranks), signatures]
    return pa.Table.from_arrays(arrays, names=["doc", "rank", "signature"]).filter(signatures.is_valid())


def _unsigned(method: Verifies) -> pa.Table:
    """No signatures, of the method's own type."""
    return _signed(method.sign(no_rows(method)), np.empty(0, np.int64), np.empty(0, np.uint32))


def columns_read(methods: Methods, keep: Keep) -> tuple[str, ...]:
    """Columns that the methods and the order of survival read, each once."""
    return tuple(dict.fromkeys([*(name for _, method in methods for name in method.reads), *keep.columns()]))


def no_rows(method: Verifies) -> pa.RecordBatch:
    """An empty batch of the document columns that the method reads."""
    return empty_batch(pa.schema([DOCUMENT.field(name) for name in method.reads]))


def proves_itself(method: Verifies) -> bool:
    """True where the signature is the evidence: documents with equal ones need not be compared."""
    return method.evidence(no_rows(method)) is None


def _from_signatures(method: Verifies, signed: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Documents with one signature are linked to the best-ranked of them, which alone has keys; where signatures prove
    nothing, all have."""
    doc, rank = np.asarray(signed["doc"]), np.asarray(signed["rank"])
    links, first = _NO_LINKS, np.arange(len(doc))
    if proves_itself(method):
        hi, lo = hash128(signed["signature"].cast(pa.binary()))
        groups = of_all(hi, lo, rank, doc)
        links, first = _links(groups.best, groups.order, rank, doc), np.sort(groups.order[groups.start[:-1]])
    keys = method.keys_of(signed["signature"].combine_chunks().take(pa.array(first)))
    rows = _rows(keys, doc[first], rank[first])
    return links, rows.append_column("copies", pa.array(np.ones(rows.num_rows, np.uint32)))


def _collapsed(method: DedupMethod, rows: pa.Table) -> tuple[pa.Table, pa.Table]:
    """One row per key; links from a key's other documents to its best-ranked one where equal keys mean duplicates."""
    hi, lo, rank, doc = (np.asarray(rows[name]) for name in ("key_hi", "key_lo", "rank", "doc"))
    if isinstance(method, Embeds):
        return _NO_LINKS, rows.append_column("copies", pa.array(np.ones(rows.num_rows, np.uint32)))
    groups = of_all(hi, lo, rank, doc)
    links = _links(groups.best, groups.order, rank, doc) if isinstance(method, Links) else _NO_LINKS
    one_each = rows.take(pa.array(groups.order[groups.start[:-1]]))
    return links, one_each.append_column("copies", pa.array(groups.sizes.astype(np.uint32)))


_NO_LINKS = pa.schema([f for f in LINK_SCHEMA if f.name != "method"]).empty_table()


def _links(best: Ints, other: Ints, rank: Ranks, doc: Ints) -> pa.Table:
    """Links between rows by their index, each pair of documents once."""
    apart = best != other
    best, other = best[apart], other[apart]
    arrays = [rank[best], doc[best], rank[other], doc[other], np.ones(len(best), bool)]
    return distinct(pa.Table.from_arrays([pa.array(one) for one in arrays], schema=_NO_LINKS.schema))


def _numbered(rows: pa.Table, number: int) -> pa.Table:
    return rows.append_column("method", pa.array(np.full(rows.num_rows, number, np.uint8)))

"""Makes the rows of a shard's keys, each key once, and the links and candidates between documents of the shard.

A key is written once, for its best-ranked document; the shard's other documents with that key are linked to that one
here. So a million copies of one text cost their bucket one row per shard.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.dedup_methods import DedupMethod, Keys, Verifies
from curation.core.protocols import Ints, Vectors
from curation.dedup.bands import EACH_WITH_EACH
from curation.dedup.clusters.groups import of_all
from curation.engine.dedup.layout import LINK_SCHEMA, VECTORS_SCHEMA, distinct
from curation.text.kernels.hashing import hash128

Ranks = npt.NDArray[np.uint32]
HOT = EACH_WITH_EACH  # where more documents of a shard share a key, only the best-ranked is sent on

RAW = pa.schema([f for f in VECTORS_SCHEMA if f.name not in ("copies", "method")])


def rows_of(made: Keys | pa.Array, docs: Ints, ranks: Ranks) -> pa.Table:
    """The keys of a batch's documents, or their signatures, with these engine ids and ranks."""
    return key_rows(made, docs, ranks) if isinstance(made, Keys) else signed(made, docs, ranks)


def key_rows(keys: Keys, docs: Ints, ranks: Ranks) -> pa.Table:
    count = len(keys.hi)
    vector = pa.nulls(count, pa.list_(pa.float32())) if keys.vector is None else _lists(keys.vector)
    arrays = [pa.array(keys.hi), pa.array(keys.lo), pa.array(docs[keys.row]), pa.array(ranks[keys.row]), vector]
    return pa.Table.from_arrays(arrays, schema=RAW)


def _lists(vectors: Vectors) -> pa.Array:
    offsets = np.arange(len(vectors) + 1, dtype=np.int32) * np.int32(vectors.shape[1])
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(vectors.reshape(-1)))


def signed(signatures: pa.Array, docs: Ints, ranks: Ranks) -> pa.Table:
    arrays = [pa.array(docs), pa.array(ranks), signatures]
    return pa.Table.from_arrays(arrays, names=["doc", "rank", "signature"]).filter(signatures.is_valid())


def unsigned(method: Verifies) -> pa.Table:
    """No signatures, of the method's own type."""
    return signed(pa.nulls(0, method.signature_type()), np.empty(0, np.int64), np.empty(0, np.uint32))


def from_signatures(method: Verifies, rows: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Links and keys. Documents with equal signatures are linked to the best-ranked of them, and it alone has keys;
    where signatures prove nothing, all have keys."""
    doc = np.asarray(rows["doc"])
    rank = np.asarray(rows["rank"])
    links = _NO_LINKS
    first = np.arange(len(doc))
    if method.evidence_type() is None:
        hi, lo = hash128(rows["signature"].cast(pa.binary()))
        groups = of_all(hi, lo, rank, doc)
        links = _links(groups.best, groups.order, rank, doc)
        first = np.sort(groups.order[groups.start[:-1]])
    keys = method.keys_of(rows["signature"].combine_chunks().take(pa.array(first)))
    own = key_rows(keys, doc[first], rank[first])
    return links, own.append_column("copies", pa.array(np.ones(own.num_rows, np.uint32)))


def collapsed(method: DedupMethod, rows: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Links and keys, one row per key. Where equal keys mean duplicates, its other documents are linked to the
    best-ranked one."""
    hi, lo, rank, doc = (np.asarray(rows[name]) for name in ("key_hi", "key_lo", "rank", "doc"))
    if method.has_vectors:
        return _NO_LINKS, rows.append_column("copies", pa.array(np.ones(rows.num_rows, np.uint32)))
    groups = of_all(hi, lo, rank, doc)
    links = _links(groups.best, groups.order, rank, doc) if method.use == "links" else _NO_LINKS
    one_each = rows.take(pa.array(groups.order[groups.start[:-1]]))
    return links, one_each.append_column("copies", pa.array(groups.sizes.astype(np.uint32)))


def thinned(method: Verifies, rows: pa.Table) -> tuple[pa.Table, pa.Table, int]:
    """A key that more than HOT documents of the shard have keeps one row, that of the best-ranked document; the other
    documents become candidates here, as `pairs` makes them of a large group. So a key that every document has costs its
    bucket at most HOT rows a shard. Returns the rows left, the candidates, and how many pairs were skipped."""
    hi = np.asarray(rows["key_hi"])
    bits = max(16, (len(hi) // 4).bit_length())
    slot = (hi >> np.uint64(64 - bits)).astype(np.int64)
    often = np.flatnonzero(np.bincount(slot, minlength=1 << bits)[slot] > HOT)  # few rows, unless there is such a key
    if not len(often):
        return rows, _NO_LINKS, 0
    near = rows.take(pa.array(often))
    hi, lo, rank, doc = (np.asarray(near[name]) for name in ("key_hi", "key_lo", "rank", "doc"))
    groups = of_all(hi, lo, rank, doc)
    hot = groups.sizes > HOT
    order = groups.order[np.repeat(hot, groups.sizes)]
    best = groups.order[groups.start[:-1]][hot]
    pairs = method.pairs(hi[order], lo[order], None)
    candidates = _links(order[pairs.left], order[pairs.right], rank, doc)
    gone = np.zeros(rows.num_rows, bool)
    copies = np.asarray(rows["copies"]).copy()
    gone[often[order]] = True
    gone[often[best]] = False
    copies[often[best]] = groups.sizes[hot]
    at = rows.schema.get_field_index("copies")
    return rows.set_column(at, "copies", pa.array(copies)).filter(pa.array(~gone)), candidates, pairs.skipped


_NO_LINKS = pa.schema([f for f in LINK_SCHEMA if f.name != "method"]).empty_table()


def _links(best: Ints, other: Ints, rank: Ranks, doc: Ints) -> pa.Table:
    """Links between rows by their index, each pair of documents once."""
    apart = best != other
    best = best[apart]
    other = other[apart]
    arrays = [rank[best], doc[best], rank[other], doc[other], np.ones(len(best), bool)]
    return distinct(pa.Table.from_arrays([pa.array(values) for values in arrays], schema=_NO_LINKS.schema))


def numbered(rows: pa.Table, number: int) -> pa.Table:
    return rows.append_column("method", pa.array(np.full(rows.num_rows, number, np.uint8)))

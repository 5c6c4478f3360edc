"""Recognises copies of documents that were taken down in other runs, by the keys that are left of them.

A copy has a key of such a document and, where the method verifies, a signature that agrees with the document's. Where
the method would compare texts, signatures decide too, because one of the texts is gone. A span of a text is listed as
if the document were still there. N = rows, R = keys.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.dedup_methods import DedupMethod, Keys, Links, Verifies
from curation.core.protocols import Ints, Uint64s
from curation.dedup.bands import EACH_WITH_EACH
from curation.engine.recipe.taken_keys import TakenKeys
from curation.engine.run.sent_files import read_file

Bools = npt.NDArray[np.bool_]
_ODD = np.uint64(0x9E3779B97F4A7C15)
AT_ONCE = 65_536  # pairs of signatures that are compared side by side
KEPT = pa.schema([("key_hi", pa.uint64()), ("key_lo", pa.uint64())])  # of a method that does not verify


def taken_schema(method: DedupMethod) -> pa.Schema:
    """The columns of the file that is left of a method's keys."""
    return pa.schema([("signature", method.signature_type())]) if isinstance(method, Verifies) else KEPT


def left_of(method: DedupMethod, batch: pa.RecordBatch) -> pa.Table:
    """Keeps of documents that are being taken down what recognises them later: signatures or keys."""
    if isinstance(method, Verifies):
        return pa.table({"signature": method.sign(batch).drop_null()}, schema=taken_schema(method))
    keys = method.keys(batch)
    return pa.table({"key_hi": keys.hi, "key_lo": keys.lo}, schema=KEPT)


@dataclass(frozen=True)
class TakenCopies:
    """The files of keys of documents that were taken down in other runs."""

    files: tuple[TakenKeys, ...] = ()

    def among(self, key: str, method: DedupMethod, made: Keys | pa.Array, rows: int) -> Bools:
        """bool[N]: the rows of which `made`, their keys or signatures by the method, tell that they are copies."""
        files = tuple(file for file in self.files if file.method == key)
        copies = np.zeros(rows, bool)
        if files and isinstance(method, Links):
            if isinstance(method, Verifies):
                assert isinstance(made, pa.Array), "a method that verifies signs"
                copies[_agreeing(_known_signatures(files, method), method, made)] = True
            else:
                assert isinstance(made, Keys), "any other gives keys"
                copies[_paired(_known_keys(files), method, made)] = True
        return copies

    def has(self, key: str, keys: Keys) -> Bools:
        """bool[R]: which keys of spans a document had that was taken down."""
        files = tuple(file for file in self.files if file.method == key)
        if not files:
            return np.zeros(len(keys.hi), bool)
        known = _known_keys(files)
        return np.isin(keys.hi, known.hi) & np.isin(_joined(keys.hi, keys.lo), _joined(known.hi, known.lo))


NOTHING = TakenCopies()


@dataclass(frozen=True, eq=False)
class _Known:
    """Keys of documents taken down, sorted by (hi, lo), each with the number of its signature, if it has one."""

    hi: Uint64s
    lo: Uint64s
    signature: Ints
    signatures: pa.Array


@lru_cache(maxsize=8)
def _known_keys(files: tuple[TakenKeys, ...]) -> _Known:
    table = pa.concat_tables([read_file(file.path) for file in files])
    hi, lo = (np.asarray(table[name]) for name in KEPT.names)
    order = np.lexsort((lo, hi))
    return _Known(hi[order], lo[order], order, pa.nulls(0))


@lru_cache(maxsize=8)
def _known_signatures(files: tuple[TakenKeys, ...], method: Verifies) -> _Known:
    signatures = pc.unique(pa.concat_tables([read_file(file.path) for file in files])["signature"])
    keys = method.keys_of(signatures)
    order = np.lexsort((keys.row, keys.lo, keys.hi))
    return _Known(keys.hi[order], keys.lo[order], keys.row[order], signatures)


def _paired(known: _Known, method: Links, keys: Keys) -> Ints:
    """The rows of `keys` that the method pairs with a known key, as in a bucket; and those with an equal key."""
    likely = np.flatnonzero(np.isin(keys.hi, known.hi))
    theirs = np.flatnonzero(np.isin(known.hi, keys.hi[likely]))
    hi = np.concatenate([known.hi[theirs], keys.hi[likely]])
    lo = np.concatenate([known.lo[theirs], keys.lo[likely]])
    own = np.arange(len(hi)) >= len(theirs)
    order = np.lexsort((own, lo, hi))
    pairs = method.pairs(hi[order], lo[order], None)
    left = order[pairs.left]
    right = order[pairs.right]
    apart = own[left] != own[right]
    hits = np.where(own[left], left, right)[apart]
    equal = np.isin(_joined(hi, lo), _joined(hi, lo)[hits]) & own
    return keys.row[likely][equal[len(theirs) :]]


def _joined(hi: Uint64s, lo: Uint64s) -> Uint64s:
    """The keys as one number each: 64 bits of both, which is enough among those of equal `hi`."""
    return hi ^ (lo * _ODD)


def _agreeing(known: _Known, method: Verifies, signed: pa.Array) -> Ints:
    """The rows of which a key is known and the signature agrees with that of the document that had it. Of a key that
    many documents had, as many are compared as in a bucket."""
    keys = method.keys_of(signed)
    first = np.searchsorted(known.hi, keys.hi, "left")
    counts = np.minimum(np.searchsorted(known.hi, keys.hi, "right") - first, EACH_WITH_EACH)
    at = np.repeat(first, counts) + np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    row = np.repeat(keys.row, counts)
    same = known.lo[at] == np.repeat(keys.lo, counts)
    row = row[same]
    at = at[same]
    found = [np.empty(0, np.int64)]
    for start in range(0, len(row), AT_ONCE):
        part = row[start : start + AT_ONCE]
        theirs = known.signatures.take(pa.array(known.signature[at[start : start + AT_ONCE]]))
        found.append(part[method.agree_by_signature(signed.take(pa.array(part)), theirs)])
    return np.concatenate(found)

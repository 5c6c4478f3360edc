"""Simhash: documents are near-duplicates when 64-bit sums of their shingles' hashes differ in few bits.

Source: Charikar 2002, "Similarity Estimation Techniques from Rounding Algorithms"; Manku, Jain and Das Sarma 2007,
"Detecting Near-Duplicates for Web Crawling", for the 64 bits, the distance of 3 and the tables of permuted blocks.
Choices the papers leave open: a feature is a shingle of 3 words, as in text-dedup, weighted by its occurrences;
shingles are those of `minhash` (`curation/text/shingles.py`). A text of fewer words is one shingle. A bit is set if
more than half of the shingles have it. Documents without a word have no key, so empty documents are not duplicates of
each other.

A key is part of a document's simhash, `hi`, with the whole simhash, `lo`. The 64 bits are cut into `bits` + 3 blocks,
and each choice of 3 blocks makes one table. Two simhashes that differ in at most `bits` bits agree in at least 3
blocks, so the documents meet in that table. For 3 bits that is 20 keys per document, each of about 32 bits.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise
from math import comb
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa

from curation.core.dedup_methods import Keys, Links, Pairs
from curation.core.protocols import Uint64s, Vectors
from curation.text.kernels.buffers import Indices
from curation.text.kernels.compiler.instructions import ones
from curation.text.kernels.compiler.kernel import Out, kernel
from curation.text.kernels.mix64 import STEP, splitmix64_each
from curation.text.matches import Bools
from curation.text.shingles import shingle_hashes

BITS = 64
SAME_BLOCKS = 3  # blocks in a table's key
MAX_BITS = 6  # beyond, keys have fewer than 22 bits, and documents meet by chance
LARGE = 64  # simhashes of one key up to which all pairs are compared

_ONE = np.uint64(1)


@dataclass(frozen=True, kw_only=True)
class Simhash(Links):
    """How many bits simhashes may differ in, and how many words a shingle has."""

    bits: Annotated[int, "of 64, in which the simhashes of duplicates may differ"] = 3
    shingle_words: Annotated[int, "consecutive words in a shingle"] = 3

    reads: ClassVar[tuple[str, ...]] = ("text",)
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if not 0 <= self.bits <= MAX_BITS:
            raise ValueError(f"bits must be 0 to {MAX_BITS}, got {self.bits}; for looser matches use minhash")
        if self.shingle_words < 1:
            raise ValueError(f"shingle_words must be at least 1, got {self.shingle_words}")

    def keys(self, batch: pa.RecordBatch) -> Keys:
        """Keys in row order: one per table for every row with a word; `lo` is its simhash."""
        hashes, has_words = simhashes(batch.column("text"), shingle_words=self.shingle_words)
        return keys_of(hashes, np.flatnonzero(has_words), bits=self.bits)

    def keys_each(self) -> int:
        """One per table."""
        return comb(self.bits + SAME_BLOCKS, SAME_BLOCKS)

    def pairs(self, hi: Uint64s, lo: Uint64s, vector: Vectors | None) -> Pairs:
        """Pairs that differ in at most `bits` bits, of R keys sorted by (hi, lo) and then by the order of survival.

        Keys of one simhash are paired with the first of them, in the first table only, because they meet in all.
        Different simhashes are paired by their first keys: up to LARGE of them each with each, further ones with those
        only. `skipped` counts these further ones. Of two different simhashes the smaller is `left`, whichever ranks
        first.
        """
        starred = _table_keys(lo, _tables(self.bits)[:1])[:, 0] == hi
        none = np.empty(0, np.int64)
        skipped = np.zeros(1, np.int64)
        count = _find_pairs(hi, lo, starred, self.bits, none, none, skipped)
        left = np.empty(count, np.int64)
        right = np.empty(count, np.int64)
        _find_pairs(hi, lo, starred, self.bits, left, right, skipped)
        return Pairs(left, right, int(skipped[0]))


def simhashes(text: pa.Array, *, shingle_words: int) -> tuple[Uint64s, Bools]:
    """(uint64[N], bool[N]): each document's simhash, and whether it has a word."""
    shingles, ends = shingle_hashes(text, shingle_words)
    return _majorities(shingles, ends), ends[1:] > ends[:-1]


def keys_of(hashes: Uint64s, row: Indices, *, bits: int) -> Keys:
    """The keys of rows int64[M] of simhashes uint64[N], in each table."""
    lo = hashes[row]
    hi = _table_keys(lo, _tables(bits))
    return Keys(hi.ravel(), np.repeat(lo, hi.shape[1]), np.repeat(row, hi.shape[1]))


@lru_cache
def _tables(bits: int) -> Uint64s:
    """uint64[T]: the bits in each table's keys."""
    blocks = bits + SAME_BLOCKS
    bounds = [BITS * block // blocks for block in range(blocks + 1)]
    masks = [(1 << stop) - (1 << start) for start, stop in pairwise(bounds)]
    return np.array([sum(chosen) for chosen in combinations(masks, SAME_BLOCKS)], np.uint64)


def _table_keys(hashes: Uint64s, tables: Uint64s) -> Uint64s:
    """uint64[M, T]: each simhash's key in each table; keys of different tables differ."""
    values = (hashes[:, None] & tables) ^ tables * STEP
    return splitmix64_each(values.ravel()).reshape(values.shape)


@kernel
def _majorities(shingles: Uint64s, ends: Indices) -> Uint64s:
    """uint64[N]: the bits that more than half of shingles[ends[d]:ends[d + 1]] have."""
    hashes = np.zeros(ends.size - 1, np.uint64)
    counts = np.empty(BITS, np.int64)
    for document in range(hashes.size):
        counts[:] = 0
        for shingle in range(ends[document], ends[document + 1]):
            for bit in range(BITS):
                counts[bit] += np.int64(shingles[shingle] >> np.uint64(bit) & _ONE)
        for bit in range(BITS):
            most = 2 * counts[bit] > ends[document + 1] - ends[document]
            hashes[document] |= np.uint64(most) << np.uint64(bit)
    return hashes


@kernel
def _find_pairs(
    hi: Uint64s,
    lo: Uint64s,
    starred: Out[Bools],
    bits: int,
    left: Out[Indices],
    right: Out[Indices],
    skipped: Out[Indices],
) -> int:
    """Write as many pairs as there is room for, and set `skipped`; returns the number of pairs there are."""
    heads = np.empty(hi.size, np.int64)
    head_count = 0
    count = 0
    skipped[0] = 0
    for key in range(hi.size):
        if key > 0 and hi[key] == hi[key - 1] and lo[key] == lo[key - 1]:
            if starred[key]:
                if count < left.size:
                    left[count] = heads[head_count - 1]
                    right[count] = key
                count += 1
            continue
        if key > 0 and hi[key] != hi[key - 1]:
            head_count = 0
        for head in range(min(head_count, LARGE)):
            if ones(lo[heads[head]] ^ lo[key]) <= bits:
                if count < left.size:
                    left[count] = heads[head]
                    right[count] = key
                count += 1
        skipped[0] += head_count > LARGE
        heads[head_count] = key
        head_count += 1
    return count

"""Counts the n-grams of text in tables that merge in any order and grouping to the same bytes.

Text is what `curation/models/ngram/reading.py` gives: tokens separated by ASCII whitespace, one sentence a line. A
sentence is counted with `<s>` before it, as often as the order needs, and one `</s>` after it. Lines without a token do
not count. Only n-grams of the highest order are counted: those of lower orders follow from them (`adjusted.py`).

Which key makes a step local to a bucket: `count` and `merge` need none. `keys_of` hashes the last two words of an
n-gram, so that a bucket of keys has all n-grams that end alike, which is what `adjusted.adjust` needs. `to_arrow`
writes that key for an exchange through files, and `partition` divides in memory.

A row takes 4 n + 8 bytes; `count` and `merge` hold what they read about four times.

R rows, V words, n the order. A row is an n-gram with its last word first, so that sorted rows of one suffix are
neighbours, as in Heafield et al. 2013, "Scalable Modified Kneser-Ney Language Model Estimation" (ACL P13-2121).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.models.ngram.reading import SPECIAL, sentences_of
from curation.text.kernels.blocks import gather
from curation.text.kernels.buffers import text_array
from curation.text.kernels.compiler.kernel import Grid
from curation.text.kernels.hashing import Hashes, hash64
from curation.text.kernels.mix64 import GOLDEN, splitmix64_each
from curation.text.kernels.radix import order_by

Rows: TypeAlias = Grid[npt.NDArray[np.uint32]]
Totals: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

UNKNOWN, BEGIN, END = range(3)  # ids of SPECIAL; the word of place v has id v + 3
MAX_ORDER = 5
SCHEMA = pa.schema([("key_hi", pa.uint64()), ("ngram", pa.large_binary()), ("count", pa.int64())])  # of `to_arrow`


@dataclass(frozen=True, eq=False)
class GramCounts:
    """Sorted n-grams and how often each occurs."""

    words: pa.Array  # large_binary[V], ascending: all that occur, without SPECIAL
    rows: Rows  # uint32[R, n] ids, distinct and ascending
    counts: Totals  # int64[R], at least 1

    @property
    def order(self) -> int:
        return int(self.rows.shape[1])


def count(text: pa.Array | pa.ChunkedArray, order: int) -> GramCounts:
    """The n-grams of text[N], `order` words each."""
    sentences = sentences_of(text)
    ends = sentences.starts == sentences.stops
    spans = gather(sentences.data, sentences.starts[~ends], sentences.stops[~ends])
    words, own = _numbered(coded := text_array(*spans).view(pa.large_binary()).dictionary_encode())
    ids = np.full(len(ends), END, np.int64)
    ids[~ends] = own[coded.indices.to_numpy()]
    marks = ~ends & (ids < len(SPECIAL))
    ids = ids[~marks]
    ends = ends[~marks]
    ids = ids[~(ends & np.concatenate([[True], ends[:-1]])[: len(ends)])]  # lines of marks alone
    ends = ids == END
    # In its sentence, a token is preceded by as many others as lie between it and the last end.
    numbers = np.arange(len(ids))
    begins = np.maximum.accumulate(np.where(np.concatenate([[True], ends[:-1]])[: len(ids)], numbers, 0))
    rows = np.full((len(ids), order), BEGIN, np.uint32)
    for back in range(order):
        inside = numbers - begins >= back
        rows[inside, back] = ids[numbers[inside] - back]
    return GramCounts(words, *summed(rows, np.ones(len(ids), np.int64)))


def merge(tables: Sequence[GramCounts]) -> GramCounts:
    """The sum of at least one table, all of one order."""
    words, ids = joined_words([table.words for table in tables])
    rows = np.concatenate([of[table.rows] for table, of in zip(tables, ids, strict=True)])
    return GramCounts(words, *summed(rows, np.concatenate([table.counts for table in tables])))


def partition(table: GramCounts, buckets: int) -> list[GramCounts]:
    """The table in `buckets` parts, by the first bits of `keys_of`."""
    numbers = (keys_of(table) >> np.uint64(32)) * np.uint64(buckets) >> np.uint64(32)
    return [_part(table, numbers == bucket) for bucket in range(buckets)]


def keys_of(table: GramCounts) -> Hashes:
    """uint64[R]: a hash of the last two words of each n-gram, the same in every table."""
    hashes = np.concatenate([np.arange(len(SPECIAL), dtype=np.uint64), hash64(table.words)])
    keys = splitmix64_each(hashes[table.rows[:, 0]])
    return keys if table.order == 1 else splitmix64_each(keys * GOLDEN + hashes[table.rows[:, 1]])


def to_arrow(table: GramCounts) -> pa.Table:
    """The table for a file: `key_hi` uint64[R] of `keys_of`, `ngram` large_binary[R] its words in the order of the
    text with spaces between, and `count` int64[R]. Rows of several tables may be put together and divided by key."""
    names = pa.concat_arrays([pa.array(SPECIAL, pa.large_string()).view(pa.large_binary()), table.words])
    columns = [names.take(pa.array(table.rows[:, k])) for k in reversed(range(table.order))]
    ngrams = pc.binary_join_element_wise(*columns, pa.scalar(b" ", pa.large_binary()))
    return pa.table([keys_of(table), ngrams, table.counts], schema=SCHEMA)


def from_arrow(rows: pa.Table, order: int) -> GramCounts:
    """The sum of rows of `to_arrow`, in any order."""
    ngrams = rows["ngram"].combine_chunks()
    coded = pc.split_pattern(ngrams, b" ").flatten().dictionary_encode()
    words, ids = _numbered(coded)
    grid = ids[coded.indices.to_numpy()].reshape(len(ngrams), order)[:, ::-1]
    return GramCounts(words, *summed(np.ascontiguousarray(grid), rows["count"].to_numpy()))


def _numbered(coded: pa.DictionaryArray) -> tuple[pa.Array, npt.NDArray[np.uint32]]:
    """The words of a dictionary without SPECIAL, ascending, and the id of each of its entries."""
    special = pc.index_in(coded.dictionary, pa.array(SPECIAL, pa.large_string()).view(pa.large_binary()))
    words = coded.dictionary.filter(pc.is_null(special)).sort()
    places = pc.add(pc.index_in(coded.dictionary, words), len(SPECIAL))
    return words, pc.coalesce(special, places).to_numpy(zero_copy_only=False).astype(np.uint32)


def joined_words(tables: Sequence[pa.Array]) -> tuple[pa.Array, list[npt.NDArray[np.uint32]]]:
    """(large_binary[V] the words of all tables, ascending; for each table uint32 its ids -> ids in the result)."""
    words = pc.unique(pa.concat_arrays(tables)).sort()
    special = np.arange(len(SPECIAL))
    places = (pc.index_in(table, words).to_numpy(zero_copy_only=False) for table in tables)
    return words, [np.concatenate([special, own + len(SPECIAL)]).astype(np.uint32) for own in places]


def summed(rows: Rows, counts: Totals) -> tuple[Rows, Totals]:
    """Rows sorted, with equal ones made one and their counts added."""
    if not len(rows):
        return rows, counts
    order = sorted_order(rows)
    rows = rows[order]
    counts = counts[order]
    firsts = np.flatnonzero(changes(rows, rows.shape[1]))
    return np.ascontiguousarray(rows[firsts]), np.add.reduceat(counts, firsts)


def sorted_order(rows: Rows) -> Totals:
    """int64[R]: the order in which the rows ascend."""
    if not rows.shape[1] or len(rows) < 2:
        return np.arange(len(rows))
    wide = rows.astype(np.uint64)
    pairs = [wide[:, k] << np.uint64(32) | wide[:, k + 1] for k in range(0, rows.shape[1] - 1, 2)]
    return order_by(*pairs, *([wide[:, -1]] if rows.shape[1] % 2 else []))


def changes(rows: Rows, columns: int) -> Flags:
    """bool[R]: whether a row differs from the one before it in its first `columns`; true for the first row."""
    changed = np.ones(len(rows), np.bool_)
    changed[1:] = (rows[1:, :columns] != rows[:-1, :columns]).any(axis=1)
    return changed


def _part(table: GramCounts, chosen: Flags) -> GramCounts:
    """Some rows of a table, with the words that they have."""
    rows = table.rows[chosen]
    used = np.zeros(len(table.words) + len(SPECIAL), np.bool_)
    used[rows] = True
    used[: len(SPECIAL)] = True
    ids = (np.cumsum(used) - 1).astype(np.uint32)
    return GramCounts(table.words.filter(pa.array(used[len(SPECIAL) :])), ids[rows], table.counts[chosen])

"""Counts the words of kept text: the reference for `unigram_divergence`.

    - fit: {unigrams: {}}
    - filter: {unigram_divergence: {reference: "@unigrams"}}

Counts are sums, so the file is the same however the text is cut into shards, batches and workers. Its format is
described in `curation/models/ngram/unigrams.py`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa

from curation.core.errors import InputError, RecipeError
from curation.core.fits import Counts
from curation.models.ngram.unigrams import UnigramCounts as Words
from curation.models.ngram.unigrams import count

SCHEMA = pa.schema([("key_hi", pa.uint64()), ("count", pa.uint64())])  # a word's hash, and its occurrences


@dataclass(frozen=True, kw_only=True)
class Unigrams(Counts):
    """Which words the file lists; all others are counted together."""

    max_words: Annotated[int, "the most frequent words that are listed"] = 1_000_000
    min_count: Annotated[int, "occurrences"] = 2
    sample_bytes: Annotated[int, "of UTF-8 text, drawn by the engine"] = 1 << 30

    version: ClassVar[int] = 1
    asset: ClassVar[str] = "unigrams.bin"
    reads: ClassVar[tuple[str, ...]] = ("text",)

    def __post_init__(self) -> None:
        if min(self.max_words, self.min_count, self.sample_bytes) < 1:
            raise RecipeError(
                f"max_words is {self.max_words}, min_count {self.min_count}, sample_bytes {self.sample_bytes}; give "
                "max_words, min_count and sample_bytes of 1 or more"
            )

    def schema(self) -> pa.Schema:
        return SCHEMA

    def count(self, rows: Iterator[pa.RecordBatch]) -> pa.Table:
        """Batches of documents -> SCHEMA, a row per word."""
        words = count(batch.column("text") for batch in rows)
        return _table(words)

    def merge(self, table: pa.Table) -> pa.Table:
        """SCHEMA -> the same, each word once, in the order of the hashes."""
        return _table(Words.of(*(np.asarray(table[name]) for name in SCHEMA.names)))

    def finish(self, tables: Iterable[pa.Table]) -> Mapping[str, bytes]:
        """SCHEMA, a bucket at a time -> the file. Raises InputError if no word is frequent enough."""
        table = pa.concat_tables([SCHEMA.empty_table(), *tables])
        words = Words(np.asarray(table["key_hi"]), np.asarray(table["count"]))
        words = words.shortened(max_words=self.max_words, min_count=self.min_count)
        if not len(words.hashes):
            raise InputError(f"no word occurs {self.min_count} times in the text to learn from; lower min_count")
        return {self.asset: words.to_bytes()}


def _table(words: Words) -> pa.Table:
    return pa.table([words.hashes, words.counts], schema=SCHEMA)

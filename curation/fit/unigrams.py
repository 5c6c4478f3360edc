"""Counts the words of kept text: the reference for `unigram_divergence`.

    - fit: {unigrams: {}}
    - filter: {unigram_divergence: {reference: "@unigrams"}}

Counts are sums, so the file is the same however the text is cut into shards, batches and workers. Its format is
described in `curation/models/ngram/unigrams.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from curation.core.errors import InputError, RecipeError
from curation.models.ngram.unigrams import count


@dataclass(frozen=True, kw_only=True)
class Unigrams:
    """Which words the file lists; all others are counted together."""

    max_words: int = 1_000_000
    min_count: int = 2  # occurrences
    sample_bytes: int = 1 << 30  # of UTF-8 text, drawn by the engine

    version: ClassVar[int] = 1
    asset: ClassVar[str] = "unigrams.bin"

    def __post_init__(self) -> None:
        if min(self.max_words, self.min_count, self.sample_bytes) < 1:
            raise RecipeError(
                f"max_words is {self.max_words}, min_count {self.min_count}, sample_bytes {self.sample_bytes}; give "
                "max_words, min_count and sample_bytes of 1 or more"
            )

    def fit(self, texts: Iterator[pa.Array]) -> bytes:
        """large_string arrays -> the bytes of the file. Raises InputError if no word is frequent enough."""
        words = count(texts).shortened(max_words=self.max_words, min_count=self.min_count)
        if not len(words.hashes):
            raise InputError(f"no word occurs {self.min_count} times in the text to learn from; lower min_count")
        return words.to_bytes()

"""Substring dedup: cut runs of bytes that occur in two or more documents from all but the best-ranked one.

Source: Lee et al. 2022, "Deduplicating Training Data Makes Language Models Better" (arXiv:2107.06499), which cuts runs
of 50 tokens: 100 bytes of two-byte tokens, about 200 bytes of text. text-dedup cuts runs of 100 bytes of text by
default.

A byte is repeated if it lies in a window of `min_bytes` consecutive bytes that another document also has. It stays in
the best-ranked document with that window, and is cut from all others. So every run of `min_bytes` or more that two
documents share is found; a run that repeats within one document only is not touched. A shorter text has no key.

The paper finds runs with a suffix array, one sorted structure over the whole corpus. Here only keys travel, in two
rounds. In the first, an anchor stands for a window: a piece of half its length that equal windows always share
(`curation/dedup/winnowing.py`), about one per 26 bytes. In the second, each window whose anchor another document also
has gets a 128-bit hash of all its bytes (`curation/dedup/window_hashes.py`). Anchors miss nothing, and the second round
rejects what they match by chance, so the result is that of a suffix array up to hash collisions: about 10^-13 are
expected among 10^10 different windows.

The second round has a key for about every byte near a shared anchor: for books of which some are editions of others,
one in three bytes, and three of four of these keys were confirmed (November 2026). A character or word repeated a
million times makes a handful of keys.

Windows begin and end at any byte. After merging, `fit` shrinks spans to whole characters; `cut_spans` cuts the whole
words in them.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa

from curation.core.dedup_methods import Keys, Spans
from curation.core.protocols import Uint64s
from curation.dedup.window_hashes import hash_windows, leaving
from curation.dedup.winnowing import MIN_WINDOW, anchors, distinct, listed
from curation.text.kernels.buffers import Bytes, Indices, offsets_of, text_buffers
from curation.text.kernels.compiler.kernel import Out, kernel
from curation.text.kernels.hash_table import factor
from curation.text.merged_spans import span_lists


@dataclass(frozen=True, kw_only=True)
class Substring(Spans):
    """How long a repeated run must be."""

    min_bytes: Annotated[int, "of UTF-8, at least 16"] = 100

    reads: ClassVar[tuple[str, ...]] = ("text",)
    rounds: ClassVar[int] = 2
    read_later: ClassVar[bool] = False
    min_copies: ClassVar[int] = 2
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.min_bytes < MIN_WINDOW:
            raise ValueError(f"min_bytes is the least length of a run, {MIN_WINDOW} or more, got {self.min_bytes}")

    def keys(self, batch: pa.RecordBatch) -> Keys:
        """The first round: one key per anchor and row, ascending within each row. `lo` is 0."""
        hashes, rows = distinct(anchors(batch.column("text"), self.min_bytes))
        return Keys(hashes, np.zeros_like(hashes), rows)

    def refine(self, batch: pa.RecordBatch, hi: Uint64s, lo: Uint64s) -> Keys:
        """The second round: one key per window with an anchor in `hi`, in text order, with the bytes it covers. A row's
        equal windows are one key where they overlap or touch.

        Anchors that the batch does not have are ignored.
        """
        own = anchors(batch.column("text"), self.min_bytes)
        chosen = np.flatnonzero(listed(own.hashes, hi))
        starts = own.starts[chosen]
        stops = own.stops[chosen]
        first = np.searchsorted(chosen, own.first)
        most = int((stops - starts).sum())
        hashes = np.empty(most, np.uint64), np.empty(most, np.uint64)
        row, start, stop = (np.empty(most, np.int64) for _ in range(3))
        stretches = (starts, stops, first, self.min_bytes)
        tables = leaving(self.min_bytes)
        keys = hash_windows(own.data, own.offsets, *stretches, *tables, factor(), *hashes, row, start, stop)
        return Keys(hashes[0][:keys], hashes[1][:keys], row[:keys], start[:keys], stop[:keys])

    def fit(self, text: pa.Array, spans: pa.Array) -> pa.Array:
        """list<struct<start: int64, stop: int64>>[N]: each text's spans shrunk to whole characters, without those that
        become empty. A null list becomes an empty one."""
        data, offsets = text_buffers(text)
        bounds = spans.flatten()
        starts, stops = (np.array(bounds.field(name), np.int64) for name in ("start", "stop"))
        first = offsets_of(np.asarray(spans.value_lengths().fill_null(0)))
        left = _fit(data, offsets, first, starts, stops)
        return span_lists(first, starts[:left], stops[:left])


@kernel
def _fit(data: Bytes, offsets: Indices, first: Out[Indices], starts: Out[Indices], stops: Out[Indices]) -> int:
    """`Substring.fit` in place; spans of document d are first[d] to first[d + 1] - 1. Returns how many remain."""
    left = 0
    span = np.int64(0)
    for document in range(offsets.size - 1):
        begin = offsets[document]
        end = offsets[document + 1]
        while span < first[document + 1]:
            start = begin + starts[span]
            stop = begin + stops[span]
            while start < stop and data[start] & 0xC0 == 0x80:
                start += 1
            while start < stop < end and data[stop] & 0xC0 == 0x80:
                stop -= 1
            if start < stop:
                starts[left] = start - begin
                stops[left] = stop - begin
                left += 1
            span += 1
        first[document + 1] = left
    return left

"""Learns an n-gram model of kept text, for `perplexity`: interpolated modified Kneser-Ney, as KenLM's lmplz does.

    - fit: {ngram_model: {order: 5, prune: [0, 0, 1], normalization: ccnet}}
    - filter: {perplexity: {models: "@ngram_model", max_perplexity: 1000}}

The text of one language is drawn by `sample_by: language.label` with `sample_weights: {de: 1, "*": 0}`; `language` then
states it, so that the model is refused for another. Several languages take a fit each, named apart, and `perplexity`
takes `models: {en: "@english", de: "@german"}`.

A model knows the documents that it learned from, and copies of them, far too well. So there are two, each of half of
the documents by a hash of their text, and `perplexity` takes the one that did not learn from a text: judge the text as
it was when the model was learned. `halves: false` gives one model of everything, for other documents.

Counts are sums, so the model is the same however the text is cut into shards and workers; the last step, in one task,
holds 60 bytes for each n-gram that is kept.

The model is an ARPA file, which KenLM and others read too, and says how its text was read
(`curation/models/ngram/model_file.py`). Source: see `curation/models/ngram/estimate.py`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core import fits
from curation.core.component import Files
from curation.core.errors import RecipeError
from curation.fit.sample.shares import Sampled
from curation.models.ngram.counts import SCHEMA, GramCounts, count, from_arrow, to_arrow
from curation.models.ngram.estimate import estimate, thresholds_of
from curation.models.ngram.halves import half_of
from curation.models.ngram.model_file import file_of
from curation.models.ngram.normalization import Normalization
from curation.models.ngram.reading import Reading, load_pieces

PRUNE = (0, 0, 1)  # more than halves a model of order 3 and raises perplexity by 1 % (`benchmarks/learned/perplexity`)


@dataclass(frozen=True, kw_only=True)
class NgramModel(Sampled, fits.Counts):
    """The order of the model, what is pruned, and what a token is."""

    order: Annotated[int, "words of the longest n-gram, at most 5"] = 5
    prune: Annotated[
        tuple[int, ...] | None, "by order: n-grams that occur so often or less are left out; None: 0, 0, 1"
    ] = None
    normalization: Annotated[Normalization, "of the text, when the model is learned and when it is used"] = "nfc"
    pieces: Annotated[str, "SentencePiece model whose pieces are the tokens; empty: words"] = ""
    language: Annotated[str, "of the text, as `language` labels it"] = ""
    discounts: Annotated[
        tuple[float, ...], "of counts 1, 2 and more, where the text is too small or too even to give any"
    ] = ()
    sample_bytes: Annotated[int, "of UTF-8 text, drawn by the engine"] = 1 << 30
    halves: Annotated[bool, "a model of each half of the documents, so that none is judged by what learned from it"] = (
        True
    )

    version: ClassVar[int] = 2
    asset: ClassVar[str] = "model.arpa"
    reads: ClassVar[tuple[str, ...]] = ("text",)

    def __post_init__(self) -> None:
        super().__post_init__()
        thresholds_of(self.order, self._prune)
        limits = enumerate(self.discounts, 1)
        if self.discounts and (
            len(self.discounts) != 3 or not all(0 < discount <= limit for limit, discount in limits)
        ):
            raise RecipeError(
                f"discounts is {list(self.discounts)}; give three, above 0 and at most 1, 2 and 3, such as 0.5, 1, 1.5"
            )

    def assets(self) -> Mapping[str, Files]:
        """Where the SentencePiece model is. Raises InputError if it is missing or none."""
        if self.pieces:
            load_pieces(self.pieces)
        return {"pieces": self.pieces} if self.pieces else {}

    @property
    def _prune(self) -> tuple[int, ...]:
        return PRUNE[: self.order] if self.prune is None else self.prune

    @cached_property
    def _reading(self) -> Reading:
        return Reading(normalization=self.normalization, pieces=self.pieces)

    def schema(self) -> pa.Schema:
        return SCHEMA.append(pa.field("half", pa.uint8()))

    def count(self, rows: Iterator[pa.RecordBatch]) -> pa.Table:
        """Batches of documents -> the n-grams of their lines: `key_hi`, `ngram`, `count` and the documents' `half`."""
        text = pa.chunked_array([pa.array([], pa.large_string()), *(batch.column("text") for batch in rows)])
        halves = half_of(text) if self.halves else np.zeros(len(text), np.uint8)
        texts = (text.filter(pa.array(halves == half)) for half in self._halves)
        return _table(count(self._reading.tokens(own), self.order) for own in texts)

    def merge(self, table: pa.Table) -> pa.Table:
        """The same rows, each n-gram once."""
        return _table(self._of(table, half) for half in self._halves)

    def finish(self, tables: Iterable[pa.Table]) -> Mapping[str, bytes]:
        """Raises InputError if the text, or a half of it, is too small or too even to give discounts, and none are
        set."""
        pieces: list[bytes] = []
        for half in self._halves:
            counts = (self._of(table, half) for table in tables)
            model = estimate(counts, self._prune, fallback=self.discounts or None)
            number = half + 1 if self.halves else 0
            pieces += file_of(model, self._reading, language=self.language, prune=self._prune, half=number)
        return {self.asset: b"".join(pieces)}

    @property
    def _halves(self) -> tuple[int, ...]:
        return (0, 1) if self.halves else (0,)

    def _of(self, table: pa.Table, half: int) -> GramCounts:
        return from_arrow(table.filter(pc.equal(table["half"], half)), self.order)


def _table(halves: Iterable[GramCounts]) -> pa.Table:
    tables = (to_arrow(counts) for counts in halves)
    numbered = ((table, pa.array(np.full(len(table), half, np.uint8))) for half, table in enumerate(tables))
    return pa.concat_tables([table.append_column("half", half) for table, half in numbered])

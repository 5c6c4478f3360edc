"""Perplexity: how well an n-gram model of each document's language predicts the text, as a measure of its quality.

    - filter: {perplexity: {models: {en: en.arpa, de: de.arpa}, max_perplexity: 1000}}
    - filter: {perplexity: {models: "@ngram_model", max_bits_per_character: 2.5}}
    - filter: {perplexity: {models: {en: "@english", de: "@german"}}}
    - filter: {perplexity: {models: {en: en.arpa.bin}, pieces: {en: en.sp.model}, normalization: ccnet}}

Source: Wenzek et al. 2020, "CCNet: Extracting High Quality Monolingual Datasets from Web Crawl Data"
(arXiv:1911.00359), section 3.3; Heafield 2011, "KenLM: Faster and Smaller Language Model Queries" (ACL W11-2123),
whose scores these are.
Choices the papers leave open: each line is a sentence between `<s>` and `</s>`, since models are trained on lines, and
lines can then be compared; CCNet's own code strings a document's lines into one. The perplexity is
10^(-log10 p / tokens), where the tokens are words or pieces and, as there, one end for each line with a word. Bits per
character are -log2 p over the characters of the words or pieces and one for the space or line end after each word. They
compare texts and models with different tokens, but a word that the model does not know costs the same whatever its
length. A paragraph is a line; the worst is the one with the greatest value among those with `min_paragraph_tokens`, or
the whole text if none is so long.

No limit is set by default, because none holds for all models: CCNet sorts each language's documents into thirds. Then
the signals are only stored. One model scores every text. With models by language, a document in a language without a
model, or of unknown language, has no signals, and no limit applies to it. A text without a token is unmeasured. A model
of halves judges a text by the half that did not learn from it (`curation/fit/ngram_model.py`). A model says how it
reads text (`curation/models/ngram/model_file.py`); for one from elsewhere, the recipe must.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa

from curation.core.by_language import EVERY, LANGUAGE, ByLanguage, rows_by_language
from curation.core.component import Files, Signals
from curation.core.errors import RecipeError
from curation.core.limits import COUNTS, Limit
from curation.models.ngram.model_file import LanguageModel, load, locate

MEASURES = ("perplexity", "bits_per_character", "worst_perplexity", "worst_bits_per_character")


@dataclass(frozen=True, kw_only=True)
class Perplexity(ByLanguage):
    """The models, how they read text, and limits."""

    models: Annotated[
        str | Mapping[str, str], "ARPA or KenLM's binary: path or URI, @ and the fit stage, or language -> those"
    ]
    pieces: Annotated[
        str | Mapping[str, str], "SentencePiece model whose pieces are the tokens, by language as the models"
    ] = ""
    normalization: Annotated[Literal["", "none", "nfc", "ccnet"], "of the text; empty: what the models say"] = ""
    min_paragraph_tokens: Annotated[int, "of a paragraph that can be the worst, its line end included"] = 16
    max_perplexity: Annotated[float, "per token"] = inf
    min_perplexity: Annotated[float, "per token"] = -inf
    max_bits_per_character: Annotated[float, "bits"] = inf
    min_bits_per_character: Annotated[float, "bits"] = -inf
    max_worst_perplexity: Annotated[float, "of a paragraph"] = inf
    max_worst_bits_per_character: Annotated[float, "bits, of a paragraph"] = inf

    limits: ClassVar[tuple[Limit, ...]] = (
        Limit("perplexity", least="min_perplexity", most="max_perplexity", between=COUNTS),
        Limit("bits_per_character", least="min_bits_per_character", most="max_bits_per_character", between=COUNTS),
        Limit("worst_perplexity", most="max_worst_perplexity", between=COUNTS),
        Limit("worst_bits_per_character", most="max_worst_bits_per_character", between=COUNTS),
    )
    fitted_by: ClassVar[dict[str, str]] = {"models": "ngram_model"}
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.models or not all(self._paths().values()):
            raise RecipeError("models names no file: give a path, @ and the name of a fit stage, or language: path")
        if self.min_paragraph_tokens < 1:
            raise RecipeError(f"min_paragraph_tokens is {self.min_paragraph_tokens}; it must be 1 or more")
        if self.pieces and isinstance(self.pieces, str) != isinstance(self.models, str):
            raise RecipeError("give pieces as the models: one file for all texts, or `pieces: {LANGUAGE: FILE}`")
        if not isinstance(self.models, str):
            for option in ("pieces", "by_language"):
                for language in sorted(set(getattr(self, option)) - set(self.models)):
                    raise RecipeError(f"{option}.{language}: there is no model for {language}; add it to `models`")
            object.__setattr__(self, "reads", (*type(self).reads, LANGUAGE))

    def assets(self) -> Mapping[str, Files]:
        """Where the models are. Raises InputError if one is missing, damaged or was trained otherwise."""
        for language, path in self._paths().items():
            locate(path, normalization=self.normalization, pieces=self._pieces(language), language=language)
        return {"models": self.models, "pieces": self.pieces} if self.pieces else {"models": self.models}

    def signal_types(self) -> Signals:
        """Of the text and of its worst paragraph."""
        return dict.fromkeys(MEASURES, pa.float64())

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> perplexity float64[N], bits_per_character, and both of the worst paragraph.

        All are null without a token and without a model for the document's language.
        """
        values = np.full((4, len(batch)), np.nan)
        for language, rows in rows_by_language(batch, self._paths()).items():
            if len(rows):  # a model that no document needs is not loaded
                text = batch.column("text").take(pa.array(rows))
                values[:, rows] = self._load(language).measures(text, least=self.min_paragraph_tokens)
        return {name: pa.array(value, mask=np.isnan(value)) for name, value in zip(MEASURES, values, strict=True)}

    def modelled(self) -> tuple[str, ...] | None:
        return None if isinstance(self.models, str) else tuple(self.models)

    def _paths(self) -> Mapping[str, str]:
        return {EVERY: self.models} if isinstance(self.models, str) else self.models

    def _pieces(self, language: str) -> str:
        return self.pieces if isinstance(self.pieces, str) else self.pieces.get(language, "")

    def _load(self, language: str) -> LanguageModel:
        return load(self._paths()[language], normalization=self.normalization, pieces=self._pieces(language))

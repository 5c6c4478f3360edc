"""Learns to tell good documents from others by examples: the model for `quality_classifier`.

    - fit: {classifier: {positives: good.jsonl.gz, negatives: {chain: web}}}
    - filter: {quality_classifier: {model: "@classifier", min_score: 0.5}}
    - fit: {classifier: {kind: logistic, labelled: {files: marked.parquet, label: verdict}, positive: good}}

Examples are files of JSON lines or Parquet, chosen by a condition if need be, or the kept documents of a chain; see
`curation/core/fits.py`. The asset is `model.bin`; beside it lie `report.json`, `card.md` and `calibration.png`, which
say what it learned from and how good it is on the documents held out.

`fasttext` takes the mean of the vectors of words and n-grams of words. fastText opens the file too. It is trained in
one thread, since several give other weights each time: 6 million words a second with 16 dimensions, 2 million with 100,
so the default sample takes half a minute (one core, November 2026). `logistic` has a weight for each bucket of hashed
n-grams and is trained twice as fast.

Source: Joulin et al. 2016, "Bag of Tricks for Efficient Text Classification" (arXiv:1607.01759); Li et al. 2024,
"DataComp-LM" (arXiv:2406.11794), section 4.4, which keeps the tenth of the web that a fastText model of bigrams scores
best.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf
from typing import Annotated, ClassVar

import pyarrow as pa

from curation.core.errors import RecipeError
from curation.core.fits import LABEL, ExampleFiles, Examples, Learns
from curation.fit.sample.shares import Sampled
from curation.models.classifier.learn import MODEL, LearningTask, learn
from curation.models.classifier.logistic import MOST_BUCKETS, MOST_NGRAMS
from curation.models.classifier.metadata import Kind, Normalization

POSITIVE = "positive"
NEGATIVE = "negative"
RATES = {"fasttext": 0.5, "logistic": 1.0}


@dataclass(frozen=True, kw_only=True)
class Classifier(Sampled, Learns):
    """The examples, the kind of model, and how it is trained."""

    kind: Annotated[Kind, "of model"] = "fasttext"
    positives: Annotated[
        ExampleFiles | None, "a path, several, or {files, text, where} or {chain} of good documents"
    ] = None
    negatives: Annotated[ExampleFiles | None, "the same of the others"] = None
    labelled: Annotated[Examples | None, "in place of both: {files, label}, where the field `label` has the label"] = (
        None
    )
    positive: Annotated[str, "with labelled: the label whose probability is the score"] = ""
    held_out: Annotated[float, "share of the documents by which it is judged"] = 0.1
    sample_bytes: Annotated[int, "of UTF-8 text, drawn by the engine"] = 200 * 2**20
    sample_by: str = LABEL
    normalization: Annotated[Normalization | None, "of the text; default: lowercase for logistic, none for others"] = (
        None
    )
    word_ngrams: Annotated[int, "words in the longest n-gram"] = 2
    buckets: Annotated[int, "for hashed n-grams; a power of two for logistic"] = 2**20
    epochs: Annotated[int, "times that each document is learned from"] = 5
    learning_rate: Annotated[float | None, "default: 0.5 for fasttext, 1 for logistic"] = None
    dimensions: Annotated[int, "of the vectors of fasttext"] = 16
    min_count: Annotated[int, "occurrences of a word that fasttext gives a vector of its own"] = 1
    seed: Annotated[int, "of the draw and of the training"] = 0
    language: Annotated[str, "the language of the documents, such as en, to be checked where the model is used"] = ""

    version: ClassVar[int] = 3
    asset: ClassVar[str] = MODEL
    reads: ClassVar[tuple[str, ...]] = ("text",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.labelled is None and (self.positives is None or self.negatives is None):
            raise RecipeError("give positives and negatives, or labelled: {files: …, label: FIELD}")
        if self.labelled is not None and (self.positives is not None or self.negatives is not None):
            raise RecipeError("labelled is given besides positives or negatives; give one or the other")
        if self.labelled is not None and not self.labelled.label:
            raise RecipeError("labelled.label is missing; give the field that holds each document's label")
        if self.positive and self.labelled is None:
            raise RecipeError("positive has an effect only with labelled; the label of positives is `positive`")
        if not 0 < self.held_out < 1:
            raise RecipeError(f"held_out is {self.held_out}; it must lie between 0 and 1, e.g. 0.1")
        if min(self.word_ngrams, self.buckets, self.epochs, self.dimensions, self.min_count) < 1 or self.seed < 0:
            raise RecipeError(
                "word_ngrams, buckets, epochs, dimensions and min_count must be 1 or more, seed 0 or more"
            )
        if not 0 < self.rate < inf:
            raise RecipeError(f"learning_rate is {self.learning_rate}; give a number above 0")
        if self.kind == "logistic":
            self._check_logistic()

    def _check_logistic(self) -> None:
        if self.buckets & (self.buckets - 1) or self.buckets > MOST_BUCKETS:
            raise RecipeError(f"buckets is {self.buckets}; logistic needs a power of two up to 2^28, such as {2**21}")
        if self.word_ngrams > MOST_NGRAMS:
            raise RecipeError(f"word_ngrams is {self.word_ngrams}; logistic takes up to {MOST_NGRAMS}")
        if self.normalization == "none":
            raise RecipeError("normalization: none is for fasttext; logistic always reads words in lower case")

    @property
    def rate(self) -> float:
        return RATES[self.kind] if self.learning_rate is None else self.learning_rate

    def examples(self) -> Mapping[str, Examples]:
        """Label -> where its documents are."""
        if self.labelled is not None:
            return {"": self.labelled}
        both = {POSITIVE: self.positives, NEGATIVE: self.negatives}
        return {label: Examples.of(files) for label, files in both.items() if files is not None}

    def fit(self, rows: Iterator[pa.RecordBatch]) -> Mapping[str, bytes]:
        """Batches of documents with `label` and `held_out` -> the four files.

        Raises InputError for examples of one label, and too few to judge the model.
        """
        training = LearningTask(
            kind=self.kind,
            normalization=self.normalization or ("lowercase" if self.kind == "logistic" else "none"),
            word_ngrams=self.word_ngrams,
            buckets=self.buckets,
            epochs=self.epochs,
            learning_rate=self.rate,
            dimensions=self.dimensions,
            min_count=self.min_count,
            seed=self.seed,
            positive=self.positive if self.labelled is not None else POSITIVE,
            language=self.language,
        )
        return learn(rows, training, {label: _origin(examples) for label, examples in self.examples().items()})


def _origin(examples: Examples) -> str:
    """Where documents come from, in words."""
    if not examples.files:
        return f"chain {examples.chain}" if examples.chain else "the chain's own documents"
    where = f" where {examples.where}" if examples.where else ""
    return ", ".join(examples.paths) + where

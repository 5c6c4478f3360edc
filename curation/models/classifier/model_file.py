"""Loads classifiers of each kind, and any supervised fastText model, once per process."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core import storage
from curation.core.close_names import nearest
from curation.core.errors import InputError
from curation.models.classifier import logistic
from curation.models.classifier.metadata import Metadata, Normalization, unpacked
from curation.models.fasttext import classifier as fasttext
from curation.models.fasttext.labels import Scores
from curation.models.fasttext.model_file import parse
from curation.models.text_windows import whole
from curation.text.normalize import normalized

MOST_DIGITS = 9
Names = npt.NDArray[np.object_]


class JudgedTexts(NamedTuple):
    """Of N texts: the likeliest label str[N], and float64[N] the score and the grade; None and NaN for a text without
    words. The grade is NaN too where labels are no numbers."""

    labels: Names
    scores: npt.NDArray[np.float64]
    grades: npt.NDArray[np.float64]


class TextClassifier:
    """A model that gives a text a probability for each label. `foreign`: a file without metadata."""

    def __init__(self, metadata: Metadata, body: bytes, *, foreign: bool = False) -> None:
        """Raises ValueError for a body that is damaged or does not fit."""
        self.metadata = metadata
        self.foreign = foreign
        self.file_bytes = len(body)
        self._fasttext: fasttext.FasttextClassifier | None = None
        if metadata.kind == "fasttext":
            self._fasttext = fasttext.FasttextClassifier(parse(body))
            self.labels = tuple(self._fasttext.labels.tolist())
            if metadata.positive not in ("", *self.labels):
                raise ValueError(f"it has no label {metadata.positive!r}, which its header calls the good one")
        else:
            self.labels = metadata.labels
            self._weights = np.frombuffer(body, "<f4").astype(np.float32)
            if len(self.labels) != 2 or self.labels[0] == self.labels[1]:
                raise ValueError("it does not have two labels")
            logistic.check(self._weights, metadata.options)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The labels as numbers, for models that learnt a teacher's scores; empty if one is no whole number of at most
        MOST_DIGITS digits."""
        whole = all(label.isascii() and label.isdigit() and len(label) <= MOST_DIGITS for label in self.labels)
        return tuple(map(int, self.labels)) if whole else ()

    def grades(self, probabilities: Scores) -> npt.NDArray[np.float64]:
        """float64[N]: the mean of the labels' numbers, by their probabilities float64[N, L]; NaN without numbers."""
        if not self.numbers:
            return np.full(len(probabilities), np.nan)
        mean = np.zeros(len(probabilities))
        total = np.zeros(len(probabilities))
        for column, number in zip(probabilities.T, self.numbers, strict=True):  # a product may round by how many rows
            mean += column * number
            total += column
        return mean / total

    def probabilities(self, texts: pa.Array | pa.ChunkedArray, normalization: str | None = None) -> Scores:
        """float64[N, L] in [0, 1] of text[N]; NaN for a text without words. `normalization` is for a model that has no
        metadata."""
        if self._fasttext is not None:
            lowercase = (normalization or self.metadata.normalization) == "lowercase"
            return self._fasttext.scores(whole(normalized(texts) if lowercase else texts))
        positive = logistic.probabilities(texts, self._weights, **self.metadata.options)
        both = np.stack([1.0 - positive, positive], axis=1)
        return np.ascontiguousarray(both[:, ::-1]) if self.labels[0] == self.metadata.positive else both

    def judge(
        self, texts: pa.Array | pa.ChunkedArray, label: str = "", normalization: str | None = None
    ) -> JudgedTexts:
        """Scores are those of `label`, else of the model's positive label, else of the likeliest."""
        scores = self.probabilities(texts, normalization)
        known = np.flatnonzero(~np.isnan(scores).any(axis=1))
        labels = np.full(len(scores), None, np.object_)
        chosen = np.full(len(scores), np.nan)
        best = scores[known].argmax(axis=1)
        labels[known] = np.array(self.labels, np.object_)[best]
        name = label or self.metadata.positive
        chosen[known] = scores[known, self.labels.index(name) if name else best]
        return JudgedTexts(labels, chosen, self.grades(scores))

    def check_label(self, label: str, path: str) -> None:
        """Raises InputError for a label that the model, read from `path`, lacks."""
        if label not in self.labels:
            raise InputError(f"{path} has no label {label!r}{nearest(label, self.labels)}")


@lru_cache(maxsize=4)
def load(path: str) -> TextClassifier:
    """The classifier at a path or URI. Raises InputError if there is none, or it is damaged."""
    if storage.size(path) < 0:
        raise InputError(
            f"no classifier at {path}; give the model.bin of a `fit: {{classifier: …}}`, a supervised fastText model, "
            "or @ and the name of a fit stage"
        )
    try:
        metadata, body = unpacked(storage.read_bytes(path))
        stated = metadata or Metadata(kind="fasttext", labels=())
        return TextClassifier(stated, body, foreign=metadata is None)
    except (ValueError, KeyError) as error:
        raise InputError(f"{path} is no classifier that winnow can use: {error}") from error


def checked(
    path: str,
    *,
    label: str = "",
    normalization: Normalization | None = None,
    language: str = "",
    scored: bool = True,
) -> TextClassifier:
    """The classifier at a path, for scores of `label` and for texts in `language`. Raises InputError as `load` does,
    for a label that it lacks, if it was trained with another normalization or for another language, and for one of two
    labels of which none is the good one; two grades will do where only their mean is asked for, and the score is not
    (`scored`)."""
    model = load(path)
    metadata = model.metadata
    labels = model.labels
    if label:
        model.check_label(label, path)
    asked = scored or not model.numbers
    if asked and not (label or metadata.positive) and len(labels) == 2:
        raise InputError(f"{path} does not say which label is the good one; give `label: {labels[0]}` or {labels[1]}")
    if normalization is not None and not model.foreign and normalization != metadata.normalization:
        raise InputError(
            f"{path} was trained with normalization: {metadata.normalization}, not {normalization}; leave the option "
            "out, the model's own is used"
        )
    if language and metadata.language not in ("", language):
        raise InputError(f"{path} was trained for {metadata.language}, not for {language}")
    return model

"""Grades by a ridge head over word vectors: training, and scoring as probabilities of labels that are numbers.

The head predicts a number. Clipped to the labels' range, it lies between two neighbouring labels, which share the
probability by its distance from them: 2.3 gives the label 2 a probability of 0.7 and the label 3 one of 0.3. So the
mean of the labels by their probabilities is the prediction, as with a classifier, and the likeliest is the nearest.

N documents, L labels.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.errors import InputError
from curation.models.embeddings import encoders, ridge
from curation.models.fasttext.labels import Scores
from curation.text.counts import count_words

ENCODER = "word_vectors"
# Below it no page is graded. The mean of few vectors scatters widely, so that a log-in page may have the best grade of
# all; 50 words are the least that Gopher's rules keep, and what a teacher is shown has more.
MIN_WORDS = 50
BATCH_ROWS = 1024


def train(texts: pa.ChunkedArray, scores: Sequence[int], *, vectors: encoders.Model, penalty: float) -> ridge.RidgeHead:
    """From text[N] and their scores. Raises InputError where the word vectors are missing, or too few texts have one to
    learn from."""
    encoder = encoders.load(ENCODER, vectors)
    several = [encoder.embed(texts.slice(k, BATCH_ROWS)) for k in range(0, len(texts), BATCH_ROWS)]
    try:
        return ridge.fit(np.concatenate(several), scores, penalty=penalty, encoder=encoders.fingerprint(vectors))
    except ValueError as error:
        raise InputError(f"the word vectors teach nothing about these examples: {error}") from error


def predicted(
    texts: pa.Array | pa.ChunkedArray, head: ridge.RidgeHead, *, vectors: encoders.Model, min_words: int
) -> npt.NDArray[np.float64]:
    """float64[N] for text[N]; NaN for a text without a vector or of fewer words, separated by white space."""
    values = head.predict(encoders.load(ENCODER, vectors).embed(texts))
    values[count_words(texts).words < min_words] = np.nan
    return values


def probabilities(values: npt.NDArray[np.float64], numbers: Sequence[int]) -> Scores:
    """float64[N, L] in [0, 1] of predictions float64[N]; NaN where they are. `numbers` are L different ones."""
    order = np.argsort(numbers)
    levels = np.array(numbers, np.float64)[order]
    clipped = np.clip(values, levels[0], levels[-1])
    above = np.clip(np.searchsorted(levels, clipped, side="right"), 1, len(levels) - 1)
    share = (clipped - levels[above - 1]) / (levels[above] - levels[above - 1])
    scores = np.zeros((len(values), len(levels)))
    rows = np.arange(len(values))
    scores[rows, order[above - 1]] = 1.0 - share
    scores[rows, order[above]] = share
    scores[np.isnan(values)] = np.nan
    return scores

"""Predicted numbers as probabilities of labels, and a head over word vectors."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.core.errors import InputError
from curation.models.classifier.regression import probabilities, train
from curation.models.embeddings.encoders import fingerprint
from tests.curation.models.classifier.examples import BAD, GOOD, texts, word_vectors


def test_neighbouring_labels_share_the_probability() -> None:
    """The labels 0, 2 and 5, in the order 5, 0, 2."""
    values = np.array([-1.0, 0.0, 0.5, 2.0, 2.75, 5.0, 9.0, np.nan])
    expected = [[0, 1, 0], [0, 1, 0], [0, 0.75, 0.25], [0, 0, 1], [0.25, 0, 0.75], [1, 0, 0], [1, 0, 0], [np.nan] * 3]
    assert np.array_equal(probabilities(values, (5, 0, 2)), np.array(expected), equal_nan=True)


def test_a_head_learns_what_the_vectors_tell(tmp_path: Path) -> None:
    path = word_vectors(tmp_path)
    both = pa.chunked_array([texts(GOOD, 900), texts(BAD, 900)])
    head = train(both, [4] * 900 + [1] * 900, vectors=path, penalty=1e-5)
    assert (head.documents, head.encoder) == (1800, fingerprint(path))
    assert head.weights[0] > 0 > head.weights[1]
    assert fingerprint((path, path)) != fingerprint(path)


def test_vectors_of_other_words_teach_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the word vectors teach nothing .* 0 documents with a vector"):
        train(pa.chunked_array([["zzz", "yyy"]]), [1, 2], vectors=word_vectors(tmp_path), penalty=1.0)
    with pytest.raises(InputError, match="no encoder's model at gone"):
        train(pa.chunked_array([["zzz", "yyy"]]), [1, 2], vectors="gone", penalty=1.0)

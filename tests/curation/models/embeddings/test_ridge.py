"""A ridge head: solved by hand, against least squares, and as bytes."""

import json

import numpy as np
import pytest

from curation.models.embeddings.directions import Vectors, unit
from curation.models.embeddings.ridge import RidgeHead, fit, parse


def column(*values: float) -> Vectors:
    return np.array(values, np.float32)[:, None]


def test_one_dimension_by_hand() -> None:
    """Variance 2/3, covariance 5/3; with the penalty 1/3 the slope is (5/3) / (2/3 + 1/3)."""
    head = fit(column(1, 2, 3), [1, 2, 6], penalty=1 / 3)
    assert head.weights == pytest.approx((5 / 3,))
    assert head.intercept == pytest.approx(3 - 2 * 5 / 3)
    assert head.predict(column(4)).tolist() == pytest.approx([19 / 3])


def planted(documents: int = 300, dimensions: int = 12) -> tuple[Vectors, list[float]]:
    rng = np.random.default_rng(7)
    vectors = unit(rng.normal(size=(documents, dimensions)) + 1)
    scores = np.rint(np.clip(2.5 + 6 * vectors[:, 0] - 4 * vectors[:, 3] + rng.normal(size=documents) / 4, 0, 5))
    return vectors, scores.tolist()


def test_equal_to_least_squares_with_rows_for_the_penalty() -> None:
    vectors, scores = planted()
    count, dimensions = vectors.shape
    rows = np.hstack([vectors.astype(np.float64), np.ones((count, 1))])
    extra = np.hstack([np.eye(dimensions) * np.sqrt(0.01 * count), np.zeros((dimensions, 1))])
    expected = np.linalg.lstsq(np.vstack([rows, extra]), np.array([*scores, *[0.0] * dimensions]), rcond=None)[0]
    head = fit(vectors, scores, penalty=0.01)
    assert [*head.weights, head.intercept] == pytest.approx(expected.tolist(), abs=1e-9)
    assert head.predict(vectors) == pytest.approx(rows @ expected, abs=1e-9)


def test_a_text_without_a_vector_teaches_nothing_and_has_no_score() -> None:
    vectors, scores = planted()
    with_empty = np.insert(vectors, [0, 100], 0, axis=0)
    head = fit(with_empty, np.insert(scores, [0, 100], 5))
    assert (head.weights, head.documents) == (fit(vectors, scores).weights, 300)
    assert np.flatnonzero(np.isnan(head.predict(with_empty))).tolist() == [0, 101]


def test_equal_bytes_and_an_exact_copy() -> None:
    vectors, scores = planted()
    head = fit(vectors, scores, encoder="abc")
    assert fit(vectors, scores, encoder="abc").to_bytes() == head.to_bytes()
    assert parse(head.to_bytes()) == head
    assert (parse(head.to_bytes()).predict(vectors) == head.predict(vectors)).all()


@pytest.mark.parametrize(
    ("vectors", "scores", "penalty", "message"),
    [
        (column(1, 2), [3, 3], 1, "fewer than two different scores"),
        (column(0, 2), [3, 4], 1, "1 documents with a vector have fewer"),
        (column(1, 2), [3], 1, "scores for vectors"),
        (column(1, np.nan), [3, 4], 1, "not finite"),
        (column(1, 2), [3, 4], -1, "it must be 0 or more"),
        (np.array([[1, 1], [2, 2], [4, 4]], np.float32), [1, 2, 3], 0, "the vectors depend on each other"),
    ],
)
def test_what_cannot_be_learned(vectors: Vectors, scores: list[float], penalty: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit(vectors, scores, penalty=penalty)


def test_vectors_of_another_encoder() -> None:
    head = RidgeHead((1.0, 2.0), 0.0, 1.0, 10)
    with pytest.raises(ValueError, match="a ridge head for 2 dimensions was given vectors of 1×1"):
        head.predict(column(1))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[1, 2]",
        b"\x93NUMPY",
        b'{"format": "another"}',
        json.dumps({"format": "winnow ridge head 1", "weights": [1]}).encode(),
        b'{"format": "winnow ridge head 1", "weights": [NaN], "intercept": 0, "penalty": 1, "documents": 1}',
    ],
)
def test_content_of_another_kind(content: bytes) -> None:
    with pytest.raises(ValueError, match="it is not a ridge head"):
        parse(content)

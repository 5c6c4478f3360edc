"""Halves: by the text alone, and about as large as each other."""

import pyarrow as pa

from curation.models.ngram.halves import half_of


def test_equal_texts_are_of_one_half_whatever_stands_beside_them() -> None:
    texts = [f"text {number}" for number in range(1000)]
    halves = half_of(pa.array(texts, pa.large_string()))
    assert halves.tolist() == half_of(pa.chunked_array([texts[:300], texts[300:]], pa.large_string())).tolist()
    assert half_of(pa.array(texts[500:], pa.large_string())).tolist() == halves[500:].tolist()
    assert 450 < halves.sum() < 550

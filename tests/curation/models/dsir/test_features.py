"""Hashed n-grams: those of a plain definition, for any text, order and cut."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.models.dsir import features
from tests.curation.models.dsir.reference import counts, words

# İ has two characters in lower case, and a final Σ another one: the kernels lower each character by itself.
TEXTS = st.text(st.characters(exclude_characters="İΣ", exclude_categories=["Cs", "Cn"]), max_size=80)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t\u3000", []),
        ("Don't stop", ["don", "'", "t", "stop"]),
        ("snake_case x2, ½…", ["snake_case", "x2", ",", "½…"]),
        ("«Über»  12.5%", ["«", "über", "»", "12", ".", "5", "%"]),
        ("没有空格 和", ["没有空格", "和"]),
        ("हिंदी ไม่ e\u0301t Ⓐ", ["हिंदी", "ไม่", "e\u0301t", "ⓐ"]),
    ],
)
def test_words_are_runs_of_word_characters_or_of_others(text: str, expected: list[str]) -> None:
    assert words(text) == expected
    sums, counted = features.summed(pa.array([text]), np.ones(16), order=2)
    assert counted.tolist() == [len(expected)]
    assert sums.tolist() == [max(0, 2 * len(expected) - 1)]


@given(st.lists(TEXTS, max_size=4), st.integers(1, 4))
def test_counts_are_those_of_the_definition(texts: list[str], order: int) -> None:
    counted = features.count(pa.array(texts, pa.large_string()), order=order, buckets=50)
    assert np.array_equal(counted, sum((counts(text, order=order, buckets=50) for text in texts), np.zeros(50)))


def test_long_texts_are_hashed_in_pieces() -> None:
    text = "the quick brown fox, " * 3000
    weights = np.random.default_rng(0).normal(size=1000)
    sums, counted = features.summed(pa.array([None, text, "the"]), weights, order=2)
    assert counted.tolist() == [0, 15_000, 1]
    assert sums == pytest.approx([0, counts(text, order=2, buckets=1000) @ weights, sums[2]])
    assert np.array_equal(features.count(pa.array([text]), order=2, buckets=1000), counts(text, order=2, buckets=1000))


def test_bytes_that_are_not_utf8_are_signs() -> None:
    text = pa.array([b"a \xff\xfe b \xc3"], pa.large_binary()).view(pa.large_string())
    assert features.summed(text, np.ones(4), order=1)[1].tolist() == [4]

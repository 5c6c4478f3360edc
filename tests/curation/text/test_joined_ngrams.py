"""Repeated n-grams as they are passed over from left to right, by hand and against slow plain Python."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.ngrams import REPEATED, count_ngrams
from tests.curation.text.test_ngrams import documents_of
from tests.curation.text.texts import sliced

Counts = npt.NDArray[np.int64]
joined_words = st.lists(st.lists(st.sampled_from(["a", "aa", "aaa", "b"]), max_size=40), max_size=3)


def count_joined(texts: pa.Array) -> Counts:
    return count_ngrams(texts, repeated="joined").repeated


def slow(words: list[str], n: int) -> int:
    seen = set()
    at = 0
    characters = 0
    while at + n <= len(words):
        gram = "".join(words[at : at + n])
        if gram in seen:
            characters = characters + len(gram)
            at += n
        else:
            seen.add(gram)
            at += 1
    return characters


@given(st.one_of(documents_of, joined_words))
def test_against_a_walk(documents: list[list[str]]) -> None:
    found = count_joined(sliced([" ".join(words) for words in documents]))
    assert found.tolist() == [[slow(words, n) for n in REPEATED] for words in documents]


@pytest.mark.parametrize(
    ("text", "fives"),
    [
        pytest.param("a b c d e", 0, id="once"),
        pytest.param("a b c d e a b c d e", 5, id="twice"),
        pytest.param("a b c d ef a b c de f", 6, id="the same letters in other words"),
        pytest.param("a a a a a a a a a a", 5, id="the walk goes on after a repeated one"),
        pytest.param("a a a a a a a a a a a", 10, id="two of them after the first"),
    ],
)
def test_by_hand(text: str, fives: int) -> None:
    assert count_joined(pa.array(["x", text]))[1, 0] == fives

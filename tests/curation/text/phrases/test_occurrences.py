"""Phrases in texts against `re`."""

import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.phrases.occurrences import count_phrases, count_word
from curation.text.spans import word_spans
from tests.curation.text.texts import batches, long_batches, sliced

PHRASES = ("...", "…", "a a", "the", "{", "lorem ipsum")
near = st.lists(
    st.lists(st.sampled_from(["lorem", "LOREM ", "ipsum", "Ipsum", " ", "{", "..", ".", "The", "x" * 61])).map("".join),
    max_size=4,
)


@given(st.one_of(batches, long_batches, near), st.booleans())
def test_phrases_are_counted_from_left_to_right(values: list[str | None], any_case: bool) -> None:
    pattern = re.compile("|".join(map(re.escape, PHRASES)).encode(), re.IGNORECASE if any_case else 0)
    counts = count_phrases(sliced(values), PHRASES, any_case=any_case).tolist()
    assert counts == [len(pattern.findall((value or "").encode())) for value in values]


def test_the_first_phrase_wins_and_none_overlap() -> None:
    assert count_phrases(pa.array(["aaaa", "aaa"]), ["aa", "aaa"]).tolist() == [2, 1]
    assert count_phrases(pa.array(["aaaa", "aaa"]), ["aaa", "aa"]).tolist() == [1, 1]
    assert count_phrases(pa.array(["a", "a"]), ["aa"]).tolist() == [0, 0]  # never across documents


def test_capitals_in_a_phrase_of_any_case_are_refused() -> None:
    with pytest.raises(ValueError, match="lower case"):
        count_phrases(pa.array(["a"]), ("Lorem",), any_case=True)


def test_an_empty_phrase_is_refused() -> None:
    with pytest.raises(ValueError, match="matches everywhere"):
        count_phrases(pa.array(["a"]), ("a", ""))


@given(st.one_of(batches, near))
def test_a_word_in_any_case(values: list[str | None]) -> None:
    found = count_word(word_spans(sliced(values)), "the").tolist()
    assert found == [sum(word.encode().lower() == b"the" for word in (value or "").split()) for value in values]

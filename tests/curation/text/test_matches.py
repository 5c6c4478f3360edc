"""What spans contain, against plain Python."""

import re

import pyarrow as pa
import pytest
from hypothesis import given

from curation.text.matches import contains_class, count_distinct, count_phrases, ends_with, starts_with
from curation.text.spans import line_spans, word_spans
from curation.text.unicode import LETTER, NUMBER, PUNCTUATION
from tests.curation.text.texts import as_text, batches, garbage, sliced


def lines_of(values: list[str | None]) -> list[str]:
    return [line.strip() for value in values for line in (value or "").split("\n") if line.strip()]


@given(batches)
def test_phrases_at_the_ends_of_lines(values: list[str | None]) -> None:
    lines = line_spans(sliced(values))
    assert starts_with(lines, ["-", "中文", "…"]).tolist() == [
        line.startswith(("-", "中文", "…")) for line in lines_of(values)
    ]
    assert ends_with(lines, ["..", "中文", "…"]).tolist() == [
        line.endswith(("..", "中文", "…")) for line in lines_of(values)
    ]


@given(batches)
def test_phrases_are_counted_from_left_to_right(values: list[str | None]) -> None:
    counts = count_phrases(sliced(values), ["...", "…", "a a"]).tolist()
    assert counts == [len(re.findall(r"\.\.\.|…|a a", value or "")) for value in values]


def test_the_first_phrase_wins_and_none_overlap() -> None:
    assert count_phrases(pa.array(["aaaa", "aaa"]), ["aa", "aaa"]).tolist() == [2, 1]
    assert count_phrases(pa.array(["aaaa", "aaa"]), ["aaa", "aa"]).tolist() == [1, 1]
    assert count_phrases(pa.array(["a", "a"]), ["aa"]).tolist() == [0, 0]  # never across documents


@given(batches)
def test_classes(values: list[str | None]) -> None:
    words = word_spans(sliced(values))
    expected = [any(char.isalpha() for char in word) for value in values for word in (value or "").split()]
    assert contains_class(words, LETTER).tolist() == expected


def test_any_of_several_classes() -> None:
    words = word_spans(pa.array(["a1 ... Ⅷ €"]))
    assert contains_class(words, NUMBER | PUNCTUATION).tolist() == [True, True, True, False]


@given(batches)
def test_distinct_words_in_any_case(values: list[str | None]) -> None:
    listed = ("the", "σ", "中文", "é", "i")
    expected = [
        len({"".join(char.lower()[0] for char in word) for word in (value or "").split()} & set(listed))
        for value in values
    ]
    assert count_distinct(word_spans(sliced(values)), listed).tolist() == expected


def test_a_listed_word_matches_whole_words_only() -> None:
    words = word_spans(pa.array(["the THE tHe", "then the, of-the", "OF the"]))
    assert count_distinct(words, ("the", "of")).tolist() == [1, 0, 2]


@pytest.mark.parametrize("listed", [("The",), tuple(f"w{n}" for n in range(65))], ids=["upper case", "65 words"])
def test_a_list_that_cannot_work_is_refused(listed: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="at most 64 words in lower case"):
        count_distinct(word_spans(pa.array(["a"])), listed)


def test_64_words_can_be_listed() -> None:
    listed = tuple(f"w{n}" for n in range(64))
    assert count_distinct(word_spans(pa.array([" ".join(listed)])), listed).tolist() == [64]


@given(garbage)
def test_bytes_that_are_no_text_do_no_harm(contents: list[bytes]) -> None:
    words = word_spans(as_text(contents))
    assert len(contains_class(words, LETTER)) == len(words.starts)
    assert len(count_distinct(words, ("the", "�"))) == len(contents)
    assert len(count_phrases(as_text(contents), ("#",))) == len(contents)

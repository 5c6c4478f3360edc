"""What spans contain, against plain Python."""

import re
import unicodedata

import pyarrow as pa
from hypothesis import given

from curation.text.kernels.unicode import LETTER, NUMBER
from curation.text.matches import (
    consists_of_class,
    contains,
    ends_with,
    ends_with_class,
    starts_with,
    starts_with_class,
)
from curation.text.spans import line_spans, pieces, word_spans
from tests.curation.text.texts import as_text, batches, sliced, visible, words_of


def lines_of(values: list[str | None]) -> list[str]:
    return [line.strip() for value in values for line in (value or "").split("\n") if visible(line)]


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
def test_phrases_anywhere_in_lines(values: list[str | None]) -> None:
    found = contains(line_spans(sliced(values)), ["..", "中文", "…", "e a"])
    phrases = re.compile(r"\.\.|中文|…|e a")
    assert found.tolist() == [phrases.search(line) is not None for line in lines_of(values)]


def is_letter_or_number(char: str) -> bool:
    return unicodedata.category(char)[0] in "LN"


@given(batches)
def test_classes(values: list[str | None]) -> None:
    words = word_spans(sliced(values))
    every = [word for value in values for word in words_of(value)]
    either = LETTER | NUMBER
    assert consists_of_class(words, either).tolist() == [all(map(is_letter_or_number, word)) for word in every]
    assert starts_with_class(words, either).tolist() == [is_letter_or_number(word[0]) for word in every]
    assert ends_with_class(words, either).tolist() == [is_letter_or_number(word[-1]) for word in every]


def test_an_empty_span_begins_and_ends_with_nothing() -> None:
    blank = pieces(pa.array(["\n"]), least=1, most=1, stripped=False, blank=True)
    assert starts_with_class(blank, LETTER).tolist() == ends_with_class(blank, LETTER).tolist() == [False, False]
    assert consists_of_class(blank, LETTER).tolist() == [True, True]
    assert starts_with(blank, ["a"]).tolist() == ends_with(blank, ["a"]).tolist() == [False, False]


def test_a_last_character_that_is_cut_off_is_of_no_class() -> None:
    assert ends_with_class(word_spans(as_text([b"a\xc3", b"\xc3\xa9"])), LETTER).tolist() == [False, True]

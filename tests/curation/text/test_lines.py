"""All lines, what each holds, and what some of them make, against plain Python."""

import unicodedata

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from curation.text.lines import Lines, all_lines, count_capitals, count_words, joined, longest_words
from tests.curation.text.texts import batches, long_batches, sliced, trimmed, visible


def pieces(lines: Lines, *, whole: bool = True) -> list[list[str]]:
    spans = lines.whole() if whole else lines.trimmed()
    every = [bytes(spans.data[a:b]).decode() for a, b in zip(spans.starts, spans.stops, strict=True)]
    assert spans.characters.tolist() == [len(piece) for piece in every]
    return [every[a:b] for a, b in zip(spans.first[:-1], spans.first[1:], strict=True)]


@given(batches)
def test_lines_between_line_feeds(values: list[str | None]) -> None:
    lines = all_lines(sliced(values))
    expected = [value.split("\n") if value else [] for value in values]
    assert pieces(lines) == expected
    assert pieces(lines, whole=False) == [[trimmed(line) for line in one] for one in expected]
    assert lines.blank().tolist() == [not visible(line) for one in expected for line in one]


broken = st.lists(st.text(st.sampled_from("a\r\n\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029é"), max_size=20), max_size=4)


@given(st.one_of(batches, long_batches, broken))
def test_lines_between_any_breaks(values: list[str | None]) -> None:
    assert pieces(all_lines(sliced(values), any_break=True)) == [(value or "").splitlines() for value in values]


@given(batches)
def test_words_of_lines(values: list[str | None]) -> None:
    spans = all_lines(sliced(values)).trimmed()
    words = [trimmed(line).split() for value in values if value for line in value.split("\n")]
    assert count_words(spans).tolist() == [len(one) for one in words]
    assert longest_words(spans, above=0).tolist() == [max(map(len, one), default=0) for one in words]


def test_words_longer_than_a_block() -> None:
    text = "a" * 63 + " " + "b" * 64 + "\u3000" + "c" * 200 + "\u2028é"
    assert count_words(all_lines(pa.array([text])).trimmed()).tolist() == [4]
    assert longest_words(all_lines(pa.array([text])).trimmed(), above=200).tolist() == [200]
    assert longest_words(all_lines(pa.array([text])).trimmed(), above=len(text.encode())).tolist() == [0]


@given(batches)
def test_capitals_of_lines(values: list[str | None]) -> None:
    spans = all_lines(sliced(values)).whole()
    lines = [line for value in values if value for line in value.split("\n")]
    capitals = [sum(unicodedata.category(char) in ("Lu", "Lt") for char in line) for line in lines]
    assert count_capitals(spans).tolist() == capitals


@given(batches)
def test_all_lines_joined_are_the_text_without_blank_ones(values: list[str | None]) -> None:
    lines = all_lines(sliced(values))
    kept = joined(lines.trimmed(), ~lines.blank()).to_pylist()
    assert kept == ["\n".join(line.strip() for line in (v or "").split("\n") if visible(line)) for v in values]


def test_a_blank_line_stays_between_kept_ones_where_some_were() -> None:
    lines = all_lines(pa.array(["\na\n \n\nb\nc\n\nd\ne\n\n", "a\n"]))
    kept = np.isin(np.arange(len(lines.starts)), [1, 4, 7, 8, 11])
    assert joined(lines.whole(), kept, blank=lines.blank()).to_pylist() == ["a\n\nb\n\nd\ne", "a"]
    assert joined(lines.whole(), kept).to_pylist() == ["a\nb\nd\ne", "a"]

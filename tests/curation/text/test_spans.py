"""Words, lines, paragraphs and other pieces against plain Python."""

import re
import statistics

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.spans import MANY, TextSpans, line_spans, paragraph_spans, pieces, ratio, word_spans
from tests.curation.text.texts import as_text, batches, long_batches, sliced, visible, words_of
from tests.curation.text.texts import trimmed as around


def strings(spans: TextSpans) -> list[list[str]]:
    every = [bytes(spans.data[a:b]).decode() for a, b in zip(spans.starts, spans.stops, strict=True)]
    assert spans.characters.tolist() == [len(piece) for piece in every]
    return [every[a:b] for a, b in zip(spans.first[:-1], spans.first[1:], strict=True)]


def lines_of(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if visible(line)]


def paragraphs_of(text: str) -> list[str]:
    groups: list[list[str]] = [[]]
    for line in text.split("\n"):
        if visible(line):
            groups[-1].append(line)
        else:
            groups.append([])
    return ["\n".join(group).strip() for group in groups if group]


@given(st.one_of(batches, long_batches))
def test_words(values: list[str | None]) -> None:
    assert strings(word_spans(sliced(values))) == [words_of(value) for value in values]


@given(st.one_of(batches, long_batches))
def test_lines(values: list[str | None]) -> None:
    assert strings(line_spans(sliced(values))) == [lines_of(value or "") for value in values]


@given(st.one_of(batches, long_batches))
def test_paragraphs(values: list[str | None]) -> None:
    assert strings(paragraph_spans(sliced(values))) == [paragraphs_of(value or "") for value in values]


@given(
    st.lists(st.text(st.sampled_from("a\n\n\n \u2028é\u200b\u2800"), max_size=30), max_size=4),
    st.sampled_from([(1, 1), (1, MANY), (2, 2), (2, 3), (2, MANY), (3, 5)]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_pieces(values: list[str], size: tuple[int, int], stripped: bool, blank: bool, trimmed: bool) -> None:
    least, most = size
    expected = []
    for value in values:
        text = around(value) if trimmed else value
        run = f"\n(?:[\u200b\u2800]*\n){{{least - 1},{'' if most == MANY else most - 1}}}"
        cut = re.split(run, text)
        kept = [piece for piece in cut if blank or visible(piece)]
        expected.append([around(piece) if stripped else piece for piece in kept])
    found = pieces(sliced(list(values)), least=least, most=most, stripped=stripped, blank=blank, trimmed=trimmed)
    assert strings(found) == expected


def test_words_of_bytes_that_are_no_text() -> None:
    spans = word_spans(as_text([b"a\xff b\xe2\x80", b"\x80 c"]))
    assert spans.count().tolist() == [2, 2]
    assert spans.characters.tolist() == [2, 2, 0, 1]


def test_every_kind_of_whitespace_parts_words() -> None:
    spaces = [char for char in map(chr, range(0x110000)) if char.isspace()]
    assert len(spaces) > 20
    assert word_spans(pa.array([f"a{space}b" for space in spaces])).count().tolist() == [2] * len(spaces)


UNSEEN = ["\u200b", "\u2060", "\u200e", "\ufeff", "\xad", "\u180e", "\u3164", "\u2800", "\ufe0f", "\U000e0020"]


@pytest.mark.parametrize("char", UNSEEN)
def test_what_cannot_be_seen_is_no_word_and_no_line(char: str) -> None:
    text = pa.array([f"one {char} two\n {char}{char}\t\n{char * 3000}\nthree{char}", char])
    assert strings(word_spans(text)) == [["one", "two", f"three{char}"], []]
    assert strings(line_spans(text)) == [[f"one {char} two", f"three{char}"], []]
    assert strings(paragraph_spans(text)) == [[f"one {char} two", f"three{char}"], []]
    apart = pieces(pa.array([f"a\n{char}\nb\n{char}c"]), least=1, most=MANY, stripped=False, blank=True)
    assert strings(apart) == [["a", "b", f"{char}c"]]


def test_a_space_cut_in_two_by_the_end_of_a_document_is_none() -> None:
    spans = word_spans(as_text([b"a\xe3\x80", b"\x80b", b"c\xc2", b"\x85"]))
    assert spans.count().tolist() == [1, 1, 1, 1]
    assert [bytes(spans.data[a:b]) for a, b in zip(spans.starts, spans.stops, strict=True)] == [
        b"a\xe3\x80",
        b"\x80b",
        b"c\xc2",
        b"\x85",
    ]


def test_sums_and_means_are_per_document() -> None:
    words = word_spans(pa.array(["a bcd", None, "  ", "ef"]))
    assert words.count().tolist() == [2, 0, 0, 1]
    assert words.total(words.characters).tolist() == [4, 0, 0, 2]
    assert words.mean(words.characters).tolist() == [2.0, 0.0, 0.0, 2.0]
    assert words.mean(words.characters > 2).tolist() == [0.5, 0.0, 0.0, 0.0]


@given(batches)
def test_medians(values: list[str | None]) -> None:
    words = word_spans(sliced(values))
    lengths = [[len(word) for word in words_of(value)] for value in values]
    assert words.median(words.characters).tolist() == [statistics.median(one) if one else 0 for one in lengths]


@given(batches)
def test_stripped_spans_keep_their_document(values: list[str | None]) -> None:
    lines = pieces(sliced(values), least=1, most=1, stripped=False, blank=True).stripped()
    assert strings(lines) == [[around(line) for line in (value or "").split("\n")] for value in values]


def test_a_ratio_of_nothing_is_0() -> None:
    words = word_spans(pa.array(["a b", ""]))
    assert ratio(words.count(), words.count() * 4).tolist() == [0.25, 0.0]

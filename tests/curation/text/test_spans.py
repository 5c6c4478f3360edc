"""Words, lines and paragraphs against plain Python."""

import pyarrow as pa
import pytest
from hypothesis import given

from curation.text.spans import Spans, line_spans, paragraph_spans, word_spans
from tests.curation.text.texts import as_text, batches, garbage, sliced


def pieces(spans: Spans) -> list[list[str]]:
    every = [bytes(spans.data[a:b]).decode() for a, b in zip(spans.starts, spans.stops, strict=True)]
    assert spans.characters.tolist() == [len(piece) for piece in every]
    return [every[a:b] for a, b in zip(spans.first[:-1], spans.first[1:], strict=True)]


def lines_of(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def paragraphs_of(text: str) -> list[str]:
    groups: list[list[str]] = [[]]
    for line in text.split("\n"):
        if line.strip():
            groups[-1].append(line)
        else:
            groups.append([])
    return ["\n".join(group).strip() for group in groups if group]


@given(batches)
def test_words(values: list[str | None]) -> None:
    assert pieces(word_spans(sliced(values))) == [(value or "").split() for value in values]


@given(batches)
def test_lines(values: list[str | None]) -> None:
    assert pieces(line_spans(sliced(values))) == [lines_of(value or "") for value in values]


@given(batches)
def test_paragraphs(values: list[str | None]) -> None:
    assert pieces(paragraph_spans(sliced(values))) == [paragraphs_of(value or "") for value in values]


@given(garbage)
def test_bytes_that_are_no_text_have_spans_within_their_document(contents: list[bytes]) -> None:
    for find in (word_spans, line_spans, paragraph_spans):
        spans = find(as_text(contents))
        assert len(spans.first) == len(contents) + 1
        for document, content in enumerate(contents):
            begin = sum(map(len, contents[:document]))
            for span in range(spans.first[document], spans.first[document + 1]):
                assert begin <= spans.starts[span] < spans.stops[span] <= begin + len(content)


def test_words_of_bytes_that_are_no_text() -> None:
    spans = word_spans(as_text([b"a\xff b\xe2\x80", b"\x80 c"]))
    assert spans.count().tolist() == [2, 2]
    assert spans.characters.tolist() == [2, 2, 0, 1]


def test_sums_and_means_are_per_document() -> None:
    words = word_spans(pa.array(["a bcd", None, "  ", "ef"]))
    assert words.count().tolist() == [2, 0, 0, 1]
    assert words.total(words.characters).tolist() == [4, 0, 0, 2]
    assert words.mean(words.characters).tolist() == [2.0, 0.0, 0.0, 2.0]
    assert words.mean(words.characters > 2).tolist() == [0.5, 0.0, 0.0, 0.0]


def test_equal_words_hash_alike() -> None:
    hashes = word_spans(pa.array(["a b a", "b"])).hashes().tolist()
    assert hashes[0] == hashes[2]
    assert hashes[1] == hashes[3]
    assert hashes[0] != hashes[1]


def test_no_documents() -> None:
    assert word_spans(pa.array([], pa.large_string())).count().tolist() == []
    assert paragraph_spans(pa.array([], pa.large_string())).count().tolist() == []


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["word ", "w", "\u2003", "\n", " \n", "é", "w\n\n"])
def test_a_text_of_50_mb_takes_linear_time(unit: str) -> None:
    size = 50_000_000 // len(unit.encode())
    text = pa.array([unit * size], pa.large_string())
    assert word_spans(text).count()[0] == (size if unit in ("word ", "w\n\n") else 1 if unit in ("w", "é") else 0)
    assert line_spans(text).count()[0] == paragraph_spans(text).count()[0]

"""Counts of code against a slow reading, and the first lines and characters of texts."""

import re

import pyarrow as pa
import pytest
from hypothesis import given

from curation.text.code.counts import count_code, heads
from tests.curation.text.texts import batches, sliced

TOKEN = re.compile(r"\w+|[^\w\s]+")


def lines_of(text: str) -> list[str]:
    lines = text.removesuffix("\n").split("\n")
    ended = len(lines) if text.endswith("\n") else len(lines) - 1
    return [line.removesuffix("\r") if n < ended else line for n, line in enumerate(lines)] if text else []


@given(batches)
def test_counts_are_those_of_the_slow_reading(texts: list[str | None]) -> None:
    found = count_code(sliced(texts))
    slow = [text or "" for text in texts]
    lines = [lines_of(text) for text in slow]
    assert found.characters.tolist() == [len(text) for text in slow]
    assert found.letters.tolist() == [sum(map(str.isalpha, text)) for text in slow]
    assert (found.letters + found.numbers).tolist() == [sum(map(str.isalnum, text)) for text in slow]
    assert found.tokens.tolist() == [len(TOKEN.findall(text)) for text in slow]
    assert found.lines.tolist() == list(map(len, lines))
    assert found.line_characters.tolist() == [sum(map(len, one)) for one in lines]
    assert found.longest_line.tolist() == [max(map(len, one), default=0) for one in lines]


@pytest.mark.parametrize(
    ("text", "lines", "longest"),
    [
        pytest.param("", 0, 0, id="none"),
        pytest.param("\n", 1, 0, id="one blank line"),
        pytest.param("ab", 1, 2, id="a line that is not ended"),
        pytest.param("ab\ncde\n", 2, 3, id="two"),
        pytest.param("ab\r\n\r\nc\r", 3, 2, id="as Windows ends them, the last one not ended"),
    ],
)
def test_lines(text: str, lines: int, longest: int) -> None:
    found = count_code(pa.array([text]))
    assert (found.lines[0], found.longest_line[0]) == (lines, longest)


def test_the_beginnings_of_texts() -> None:
    array = sliced(["é1\n2\n3", "", None, "\n\n\n"])
    data = heads(array).data.tobytes()
    for options, expected in (
        ({"lines": 2}, ["é1\n2\n", "", "", "\n\n"]),
        ({"characters": 2}, ["é1", "", "", "\n\n"]),
        ({"characters": 4, "lines": 1}, ["é1\n", "", "", "\n"]),
        ({}, ["é1\n2\n3", "", "", "\n\n\n"]),
    ):
        found = heads(array, **options)
        texts = [data[a:b].decode() for a, b in zip(found.starts.tolist(), found.stops.tolist(), strict=True)]
        assert texts == expected
        assert found.characters.tolist() == [len(text) for text in expected]

"""Encoded data: the runs that the paper's regular expressions match, at their least length and one short of it."""

import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.code.encoded import encoded_runs
from tests.curation.text.texts import sliced

EXPRESSIONS = (
    re.compile(r"[a-zA-Z0-9+/\n=]{64,}"),
    re.compile(r"(?:\b(?:0x|\\x)?[0-9a-fA-F]{2}(?:,|\b\s*)){8,}"),
    re.compile(r"(?:\\u[0-9a-fA-F]{4}){8,}"),
)
PIECES = (
    "0x01,",
    "0x02, ",
    "\\x48",
    "ab",
    "12 ",
    "12\t",
    "ff,",
    "a",
    "é",
    "_",
    " ",
    ",",
    "\\u12aF",
    "\\u",
    "00",
    "\u3000",
)
encoded_texts = st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).flatmap(
    lambda few: st.lists(st.sampled_from(few), max_size=30).map("".join)
)


def slow(text: str) -> tuple[int, int]:
    sizes = [len(match.group()) for expression in EXPRESSIONS for match in expression.finditer(text)]
    return sum(sizes), max(sizes, default=0)


@given(st.lists(st.one_of(encoded_texts, st.text(max_size=30)), max_size=6))
def test_runs_are_what_the_expressions_match(texts: list[str]) -> None:
    total, longest = encoded_runs(sliced([*texts]))
    assert list(zip(total.tolist(), longest.tolist(), strict=True)) == [slow(text) for text in texts]


@pytest.mark.parametrize(
    ("text", "total", "longest"),
    [
        pytest.param(f"x = '{'A' * 63}'", 0, 0, id="63 characters of base64"),
        pytest.param(f"x = '{'A' * 64}'", 64, 64, id="64 characters of base64"),
        pytest.param("é" + ("a/+=" * 20 + "\n") * 2 + "é", 162, 162, id="base64 over two lines"),
        pytest.param(f"{'A' * 64} {'B' * 70}", 134, 70, id="two runs"),
        pytest.param("[" + "0x01," * 7 + "]", 0, 0, id="7 numbers"),
        pytest.param("[" + "0x01," * 8 + "]", 40, 40, id="8 numbers with commas"),
        pytest.param("{" + "0x01, " * 9 + "}", 0, 0, id="numbers with commas and spaces are none to the paper"),
        pytest.param("f3 0a " * 4, 24, 24, id="8 numbers with spaces"),
        pytest.param("'" + "\\x48" * 9 + "'", 32, 32, id="the first escaped number begins no word"),
        pytest.param("\\u00e9" * 7, 0, 0, id="7 escapes"),
        pytest.param("\\u00e9" * 8, 48, 48, id="8 escapes"),
        pytest.param("", 0, 0, id="nothing"),
    ],
)
def test_least_lengths(text: str, total: int, longest: int) -> None:
    found = encoded_runs(pa.array([text]))
    assert (found[0][0], found[1][0]) == (total, longest)

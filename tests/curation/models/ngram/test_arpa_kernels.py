"""Numbers and lines of ARPA files as other programs write them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.models.ngram.arpa_kernels import parse_ngrams, parse_unigrams
from curation.text.phrases.string_set import entries


def unigram(line: bytes) -> tuple[bytes, float, float] | None:
    """The word of a line, its probability and its weight; None if the line is broken."""
    data = np.frombuffer(line, np.uint8)
    spans = np.zeros((2, 1), np.int64)
    values = np.zeros((2, 1), np.float32)
    end, rows = parse_unigrams(data, 0, *spans, *values)
    if not rows:
        return None
    assert end == len(line)
    return line[spans[0, 0] : spans[1, 0]], float(values[0, 0]), float(values[1, 0])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param(b"-1.5\ta\t-0.25\n", (b"a", -1.5, -0.25), id="all fields"),
        pytest.param(b"-1.5\ta\n", (b"a", -1.5, 0), id="no weight"),
        pytest.param(b"-1.5 a -0.25\n", (b"a", -1.5, -0.25), id="spaces"),
        pytest.param(b"-1.5\ta\t0.5\r\n", (b"a", -1.5, 0.5), id="a carriage return"),
        pytest.param(b"-99\t<s>\t-1e-1\n", (b"<s>", -99, -0.1), id="an exponent"),
        pytest.param(b"-1.25E+1\ta\n", (b"a", -12.5, 0), id="an exponent with a sign"),
        pytest.param(b"0\t<s>\t+.5\n", (b"<s>", 0, 0.5), id="short forms"),
        pytest.param(b"-0.00000000000000000000000000123456789012345678\ta\n", (b"a", -1.2345679e-27, 0), id="digits"),
        pytest.param(b"-12345678901234567890e-19\ta\n", (b"a", -1.2345679, 0), id="more digits than a number holds"),
    ],
)
def test_a_line(line: bytes, expected: tuple[bytes, float, float]) -> None:
    parsed = unigram(line)
    assert parsed is not None
    assert parsed[0] == expected[0]
    assert parsed[1:] == pytest.approx(expected[1:], rel=1e-6)


@pytest.mark.parametrize(
    "line",
    [
        b"", b"\n", b"-1.5\n", b"-1.5\ta", b"a\t-1.5\n", b"0.5\ta\n", b"-1.5\ta\tb\n", b"-1.5\ta\t-1\tb\n",
        b"-1..5\ta\n",
        b"-\ta\n", b"-1e\ta\n", b"-1e5x\ta\n", b"-1e99\ta\n", b"nan\ta\n", b"-inf\ta\n", b"-1\ta\t1e999999\n",
    ],
)  # fmt: skip
def test_a_broken_line(line: bytes) -> None:
    assert unigram(line) is None


@given(st.floats(-(2.0**20), -(2.0**-20), width=32))
def test_every_float32_comes_back(value: float) -> None:
    parsed = unigram(f"{value!r}\tw\n".encode())
    assert parsed is not None
    assert math.isclose(parsed[1], value, rel_tol=1e-7)


def test_words_are_numbered_last_one_first() -> None:
    rows = np.zeros((2, 2), np.uint32)
    values = np.zeros((2, 2), np.float32)
    data = np.frombuffer(b"-1\ta b\t-2\n-3\tb c\n", np.uint8)
    assert parse_ngrams(data, 0, entries(["a", "b", "c"]), rows, *values) == (len(data), 2)
    assert rows.tolist() == [[1, 0], [2, 1]]
    assert values.tolist() == [[-1, -3], [-2, 0]]


def test_a_word_that_is_no_unigram() -> None:
    rows = np.zeros((2, 2), np.uint32)
    values = np.zeros((2, 2), np.float32)
    data = np.frombuffer(b"-1\ta b\n-3\tb d\n", np.uint8)
    assert parse_ngrams(data, 0, entries(["a", "b", "c"]), rows, *values) == (7, 1)

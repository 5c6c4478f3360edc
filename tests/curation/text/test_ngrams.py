"""How much of a text repeats, by hand and against slow plain Python."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.ngrams import LARGEST, SMALLEST, ngram_shares, number_keys, repeat_shares
from curation.text.spans import line_spans, paragraph_spans, word_spans
from tests.curation.text.texts import sliced

tokens = st.lists(st.sampled_from(["a", "b", "cc", "ddd", "é", "中文字"]), max_size=40)


def covered(words: list[str], starts: list[int], n: int) -> float:
    inside = {place for start in starts for place in range(start, start + n)}
    return sum(len(words[place]) for place in inside) / max(1, sum(map(len, words)))


def slow_shares(words: list[str], n: int) -> tuple[float, float]:
    grams = [tuple(words[at : at + n]) for at in range(len(words) - n + 1)]
    counts = Counter(grams)
    highest = max(counts.values(), default=0)
    tops = [gram for gram in counts if counts[gram] == highest > 1]
    top = max((covered(words, [at for at, gram in enumerate(grams) if gram == top], n) for top in tops), default=0.0)
    return top, covered(words, [at for at, gram in enumerate(grams) if gram in grams[:at]], n)


@given(st.lists(tokens, max_size=4))
def test_ngrams(documents: list[list[str]]) -> None:
    top, repeated = ngram_shares(word_spans(sliced([" ".join(words) for words in documents])))
    assert top.shape == repeated.shape == (len(documents), LARGEST - SMALLEST + 1)
    for document, words in enumerate(documents):
        for n in range(SMALLEST, LARGEST + 1):
            expected = slow_shares(words, n)
            assert (top[document, n - SMALLEST], repeated[document, n - SMALLEST]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "n", "top", "repeated"),
    [
        pytest.param("a b c d", 2, 0.0, 0.0, id="nothing twice"),
        pytest.param("a b a b", 2, 1.0, 0.5, id="a pair twice"),
        pytest.param("x x x x", 2, 1.0, 0.75, id="overlapping pairs count once"),
        pytest.param("xx yy z xx yy q", 2, 8 / 10, 4 / 10, id="characters, not words"),
        pytest.param("a b z a b q ccc ddd z ccc ddd q", 2, 12 / 20, 8 / 20, id="of two the longer"),
        pytest.param("A b a b", 2, 0.0, 0.0, id="case matters"),
        pytest.param("a b", 3, 0.0, 0.0, id="fewer words than n"),
        pytest.param("1 2 3 4 5 6 7 8 9 0 " * 2, 10, 1.0, 0.5, id="ten words twice"),
        pytest.param("", 2, 0.0, 0.0, id="empty"),
    ],
)
def test_ngrams_by_hand(text: str, n: int, top: float, repeated: float) -> None:
    tops, repeats = ngram_shares(word_spans(pa.array([text])))
    assert tops[0, n - SMALLEST] == pytest.approx(top)
    assert repeats[0, n - SMALLEST] == pytest.approx(repeated)


@pytest.mark.parametrize(
    ("text", "lines", "characters"),
    [
        pytest.param("ab\ncd\nef", 0.0, 0.0, id="all differ"),
        pytest.param("ab\nab\nab\nab", 0.75, 0.75, id="copies after the first"),
        pytest.param("ab\n  ab \ncdefgh", 1 / 3, 2 / 10, id="whitespace around does not matter"),
        pytest.param("ab\n\n\nAB\n", 0.0, 0.0, id="blank lines are none, case matters"),
        pytest.param(" \n ", 0.0, 0.0, id="no line"),
    ],
)
def test_lines_by_hand(text: str, lines: float, characters: float) -> None:
    shares = repeat_shares(line_spans(pa.array(["ab\ncd", text])))
    assert (shares[0][1], shares[1][1]) == pytest.approx((lines, characters))


def test_paragraphs_by_hand() -> None:
    shares = repeat_shares(paragraph_spans(pa.array(["a\nb\n\na\n\na\nb\n \na"])))
    assert (shares[0][0], shares[1][0]) == pytest.approx((2 / 4, 4 / 8))


@given(st.lists(st.sampled_from([0, 1, 2**32, 2**63, 2**64 - 1, 17]), max_size=30))
def test_keys_are_numbered_by_first_occurrence(keys: list[int]) -> None:
    numbers, distinct = np.zeros(len(keys), np.int32), np.zeros(len(keys), np.uint64)
    found = number_keys(np.array(keys, np.uint64), len(keys), np.zeros(64, np.int32), distinct, numbers)
    expected = list(dict.fromkeys(keys))
    assert distinct[:found].tolist() == expected
    assert numbers.tolist() == [expected.index(key) for key in keys]


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["same ", "w ", "a b a c "])
def test_one_line_of_50_mb_takes_linear_time(unit: str) -> None:
    top, repeated = ngram_shares(word_spans(pa.array([unit * (50_000_000 // len(unit))], pa.large_string())))
    assert top[0, 0] >= 0.5
    assert repeated[0, -1] > 0.9

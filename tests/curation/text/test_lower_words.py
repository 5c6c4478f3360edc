"""Words in normal form; that their hashes are equal for equal words only is tested on any text in test_shingles.py."""

import numpy as np
import pyarrow as pa
import pytest

from curation.text.kernels.buffers import text_buffers
from curation.text.kernels.unicode import lower_cases
from curation.text.lower_words import begin_words, lower_scan, next_words


def hashes(text: str, room: int = 64) -> list[int]:
    """Those of all words of a text, found `room` at a time."""
    data, offsets = text_buffers(pa.array([text], pa.large_string()))
    scan = lower_scan()
    words = np.zeros(room, np.uint64)
    begin_words(scan, int(offsets[0]), int(offsets[1]))
    found: list[int] = []
    while True:
        count = next_words(data, scan, lower_cases(), words)
        found += words[:count].tolist()
        if count < room:
            return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("One TWO three", "  one\n\ntwo\u00a0Three ", id="case and whitespace"),
        pytest.param("\u212aelvin", "kelvin", id="an ASCII lower case of another letter"),
        pytest.param("ABCDEFGHIJKLMNOPQ", "abcdefghijklmnopq", id="more than two times eight bytes"),
        pytest.param("ÀBCDEFGHIJKLMNÖ", "àbcdefghijklmnö", id="accents at the edges of eight bytes"),
        pytest.param("中文 字", "中 文字", id="scripts without spaces"),
    ],
)
def test_equal_words(one: str, other: str) -> None:
    assert hashes(one) == hashes(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("price 100", "price 200", id="digits"),
        pytest.param("word.", "word", id="punctuation"),
        pytest.param("one two three", "two one three", id="order"),
        pytest.param("ab c", "a bc", id="where words part"),
        pytest.param("a", "a\0", id="NUL at the end"),
        pytest.param("a\0\0\0\0\0\0\0", "a\0\0\0\0\0\0", id="NUL to eight bytes"),
        pytest.param("12345678", "12345678\0", id="NUL after eight bytes"),
    ],
)
def test_different_words(one: str, other: str) -> None:
    assert hashes(one) != hashes(other)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param(" \n\u3000", 0, id="whitespace"),
        pytest.param("don't stop.", 2, id="punctuation"),
        pytest.param("中文abc字 x", 5, id="characters that are words between letters"),
        pytest.param("\U0001f600\U0001f600", 1, id="emoji"),
        pytest.param("word " * 3000, 3000, id="many pieces"),
    ],
)
def test_counts(text: str, words: int) -> None:
    assert len(hashes(text)) == words


@pytest.mark.parametrize("room", [1, 2, 7, 4096])
def test_the_room_changes_nothing(room: int) -> None:
    text = "one Two 中文 réSumé a中b " * 300
    assert hashes(text, room) == hashes("one two 中 文 résumé a 中 b " * 300)

"""Words that must not share a hash; that those of equal words are equal is tested on any text in test_shingles.py."""

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

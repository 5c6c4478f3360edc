"""A word in bytes, found as `bytes.find` finds it, and a byte counted as `bytes.count` does."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from curation.text.kernels.find import count_byte, find, word_of

DATA = st.text(alphabet="abc", max_size=200).map(str.encode)
WORDS = st.text(alphabet="abc", min_size=2, max_size=8).map(str.encode)


@given(DATA, WORDS, st.integers(0, 210), st.integers(0, 210))
@example(b"b" * 70 + b"abc" + b"b" * 140, b"abc", 0, 213)
@example(b"b" * 63 + b"ab" + b"b" * 70, b"ab", 0, 200)
@example(b"ab" + b"c" * 100, b"ab", 1, 102)
@example(b"c" * 100 + b"ab", b"ab", 0, 101)
def test_as_bytes_find(data: bytes, word: bytes, start: int, stop: int) -> None:
    assert find(np.frombuffer(data, np.uint8), word_of(word), start, stop) == data.find(word, start, stop)


@given(DATA)
@example(b"a" * 72)
@example(b"a" * 200)
def test_as_bytes_count(data: bytes) -> None:
    assert count_byte(np.frombuffer(data, np.uint8), ord("a")) == data.count(b"a")

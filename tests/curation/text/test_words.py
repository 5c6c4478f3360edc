"""The scan of words piece by piece, and the hashes of their bytes."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.kernels.buffers import text_buffers
from curation.text.words import PIECE, begin_words, more_words, next_words, sketch, span_hash, word_scan
from tests.curation.text.texts import long_texts

Word = tuple[str, int]


def scanned(text: str, begin: int = 0, end: int | None = None) -> list[list[Word]]:
    """The words that each call of `next_words` gives, with their characters."""
    data, _ = text_buffers(pa.array([text], pa.large_string()))
    scan = word_scan()
    bounds = scan.bounds
    marks = scan.marks
    begin_words(scan, begin, len(data) if end is None else end)
    found = []
    while more_words(scan):
        count = next_words(data, scan)
        found.append(
            [
                (bytes(data[bounds[2 * k] : bounds[2 * k + 1]]).decode(), int(marks[2 * k + 1] - marks[2 * k]))
                for k in range(count)
            ]
        )
    return found


@given(long_texts)
def test_every_word_comes_once_in_order(text: str) -> None:
    assert [word for piece in scanned(text) for word in piece] == [(word, len(word)) for word in text.split()]


def test_a_word_comes_with_the_piece_that_it_ends_in() -> None:
    first = "é" * (PIECE // 2 - 1)
    second = "x" * PIECE
    third = "y"
    found = scanned(f"{first} {second} {third}")
    assert found == [[(first, len(first))], [(second, len(second))], [(third, 1)]]


def test_only_the_document_is_read() -> None:
    assert scanned("aa bb cc", 1, 4) == [[("a", 1), ("b", 1)]]


@pytest.mark.parametrize("text", ["a " * PIECE, " a" * PIECE, "a" * PIECE, " " * PIECE, ""])
def test_the_most_words_and_the_fewest_that_a_piece_can_hold(text: str) -> None:
    assert [word for piece in scanned(text) for word, _ in piece] == text.split()


def both(content: bytes, start: int, stop: int) -> tuple[int, int]:
    data = np.frombuffer(content, np.uint8)
    at = data.__array_interface__["data"][0]
    return int(sketch(at, start, stop, len(data))), int(span_hash(at, start, stop, len(data)))


@given(st.binary(min_size=1, max_size=40), st.binary(max_size=10), st.binary(max_size=10))
def test_a_span_hashes_the_same_wherever_it_stands(content: bytes, before: bytes, after: bytes) -> None:
    alone = both(content, 0, len(content))
    assert both(before + content + after, len(before), len(before) + len(content)) == alone


@given(st.binary(min_size=1, max_size=40), st.integers(0, 39), st.integers(1, 255))
def test_another_byte_gives_another_hash(content: bytes, place: int, change: int) -> None:
    place %= len(content)
    other = content[:place] + bytes([content[place] ^ change]) + content[place + 1 :]
    assert both(content, 0, len(content))[1] != both(other, 0, len(content))[1]
    assert both(content, 0, len(content))[1] != both(content + b"\0", 0, len(content) + 1)[1]


def test_a_sketch_sees_the_length_and_eight_bytes_at_each_end() -> None:
    assert both(b"12345678abc12345678", 0, 19)[0] == both(b"12345678xyz12345678", 0, 19)[0]
    assert both(b"1234567812345678", 0, 16)[0] != both(b"12345678x12345678", 0, 17)[0]
    assert both(b"12345678x1234567", 0, 16)[0] != both(b"12345678y1234567", 0, 16)[0]

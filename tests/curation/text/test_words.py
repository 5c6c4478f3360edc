"""The hashes of words; test_spans has the scan that finds them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from curation.text.words import sketch, span_hash


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

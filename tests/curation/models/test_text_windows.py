"""Windows of texts, by hand and against what they promise."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from curation.models.text_windows import whole, windows

WORDS = "aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii jjjj"  # 49 bytes


def parts(text: str, count: int, size: int) -> list[str]:
    found = windows(pa.array(["before", text], pa.large_string()).slice(1), count=count, size=size)
    assert found.first.tolist() == [0, len(found.starts)]
    return [bytes(found.data[a:b]).decode() for a, b in zip(found.starts, found.stops, strict=True)]


def test_a_short_text_is_one_window() -> None:
    assert parts(WORDS, 5, 10) == [WORDS]  # up to 50 bytes
    assert parts("", 5, 10) == [""]


def test_a_longer_one_is_cut_at_whitespace() -> None:
    # The second window of 12 would be bytes 18 to 30: "d eeee ffff ".
    assert parts(WORDS, 3, 12) == ["aaaa bbbb", " eeee ffff", " iiii jjjj"]


def test_without_whitespace_it_is_cut_between_characters() -> None:
    text = "é" * 30  # 60 bytes
    assert parts(text, 2, 9) == ["é" * 4, "é" * 4]
    assert parts("x" * 30, 2, 9) == ["x" * 9, "x" * 9]


def test_only_the_rows_asked_for() -> None:
    texts = pa.array(["one", None, WORDS, "two"], pa.large_string())
    found = windows(texts, count=2, size=8, rows=np.array([3, 2]))
    assert found.first.tolist() == [0, 1, 3]
    assert bytes(found.data[found.starts[0] : found.stops[0]]) == b"two"


def test_whole_texts_and_only_the_rows_asked_for() -> None:
    texts = pa.array(["one", None, WORDS, "two"], pa.large_string())
    for rows, expected in (
        (None, ["one", "", WORDS, "two"]),
        (np.array([3, 0]), ["two", "one"]),
        (np.array([], int), []),
    ):
        found = whole(texts, rows=rows)
        assert found.first.tolist() == list(range(len(expected) + 1))
        spans = zip(found.starts, found.stops, strict=True)
        assert [bytes(found.data[a:b]).decode() for a, b in spans] == expected


@given(st.text(max_size=200), st.integers(2, 6), st.integers(8, 20))
def test_windows_are_whole_characters_in_order_and_do_not_overlap(text: str, count: int, size: int) -> None:
    size_in_bytes = len(text.encode())
    found = windows(pa.array([text], pa.large_string()), count=count, size=size)
    bounds = [edge for pair in zip(found.starts, found.stops, strict=True) for edge in pair]
    base = int(found.starts[0])
    assert bounds == sorted(bounds)
    assert (bounds[0], bounds[-1]) == (base, base + size_in_bytes)
    assert len(bounds) == 2 * (count if size_in_bytes > count * size else 1)
    for start, stop in zip(found.starts, found.stops, strict=True):
        bytes(found.data[start:stop]).decode()
        assert stop - start <= max(size, size_in_bytes * (len(bounds) == 2))


def test_bytes_that_are_no_text_do_no_harm() -> None:
    texts = pa.array([b"\x80" * 100, b"\xff" * 100, b"\xf0\x9f" * 50], pa.large_binary())
    found = windows(texts, count=3, size=9)
    assert (found.starts <= found.stops).all()

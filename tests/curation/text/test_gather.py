"""Pieces of bytes as an array."""

import numpy as np

from curation.text.gather import gathered


def test_pieces_in_any_order_also_empty_ones_and_over_one_another() -> None:
    data = np.frombuffer(b"one two\xff", np.uint8)
    starts = np.array([4, 0, 3, 0], np.int64)
    stops = np.array([8, 3, 3, 7], np.int64)
    assert gathered(data, starts, stops).to_pylist() == [b"two\xff", b"one", b"", b"one two"]


def test_no_piece() -> None:
    none = np.empty(0, np.int64)
    assert gathered(np.empty(0, np.uint8), none, none).to_pylist() == []

"""Pieces come back from their columns as they were packed; columns that nobody packs are refused in little memory."""

import base64
import re
import zlib

import numpy as np
import pytest

from tests.support import table
from training.checkpoint.pieces import MAX_BYTES, misplaced, pack, padded, unpack

SHAPES = [(6,), (), (4, 5)]
ITEMS = [4, 8, 4]
SIZES = [168, 28]  # bytes of files
# File, tensor, first byte, box.
PIECES = np.array(
    [
        [0, 2, 100, *padded((0, 2), (4, 3))],
        [0, 1, 148, *padded((), ())],
        [0, 0, 156, *padded((5,), (1,))],
        [1, 0, 8, *padded((0,), (5,))],
    ]
).T


def test_pieces_come_back_in_their_order() -> None:
    assert np.array_equal(unpack(pack(PIECES)), PIECES)
    assert unpack(pack(PIECES[:, :0])).shape == (13, 0)
    assert misplaced(PIECES, SIZES, SHAPES, ITEMS) is None


def test_pieces_of_many_processes_take_few_bytes() -> None:
    """Of 80 layers with 9 matrices in 64 files; 100 bytes of JSON a piece before."""
    pieces = [
        [rank, row, 4096 * row, *padded((rank % 8 * 1024, rank // 8 * 128), (1024, 128))]
        for rank in range(64)
        for row in range(720)
    ]
    assert len(pack(np.array(pieces).T)) < 6 * len(pieces)


@table(
    ("content", "message"),
    {
        "cut short": (pack(PIECES)[:-8], "not whole"),
        "half a piece": (base64.b64encode(zlib.compress(bytes(8 * 6))).decode(), "not whole"),
        "more behind it": (base64.b64encode(base64.b64decode(pack(PIECES)) + b"x").decode(), "not whole"),
        "no compressed bytes": ("AAAA", "cannot be read"),
        "no base64": ("å", "ASCII"),
    },
)
def test_what_nobody_packs_is_refused(content: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        unpack(content)


def test_more_than_any_checkpoint_has_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_BYTES == 2**30
    monkeypatch.setattr("training.checkpoint.pieces.MAX_BYTES", 8 * 13 * 3)
    with pytest.raises(ValueError, match="take more than 312 bytes"):
        unpack(pack(PIECES))


@table(
    "piece",
    {
        "of a file that is not there": [2, 0, 8, *padded((0,), (1,))],
        "of a tensor that is not there": [0, 3, 8, *padded((0,), (1,))],
        "of a negative tensor": [0, -1, 8, *padded((0,), (1,))],
        "of more dimensions": [0, 0, 8, *padded((0, 0), (1, 2))],
        "before the tensor": [0, 2, 8, *padded((-1, 0), (4, 3))],
        "behind the tensor": [0, 2, 8, *padded((1, 0), (4, 3))],
        "of a size that takes all memory": [0, 2, 8, *padded((0, 0), (4, 1 << 62))],
        "of a negative size": [0, 2, 8, *padded((0, 0), (-4, -3))],
        "before the file": [0, 2, -8, *padded((0, 0), (4, 3))],
        "one byte behind the file": [0, 2, 121, *padded((0, 0), (4, 3))],
    },
)
def test_a_piece_that_somebody_makes_up(piece: list[int]) -> None:
    made = np.column_stack([PIECES, piece])
    assert misplaced(made, SIZES, SHAPES, ITEMS) == 4

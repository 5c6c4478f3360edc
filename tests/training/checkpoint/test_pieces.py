"""Pieces come back from their columns as they were packed; columns that nobody packs are refused in little memory."""

import base64
import re
import zlib
from collections.abc import Mapping

import numpy as np
import pytest

from tests.support import table
from training.checkpoint.pieces import MAX_BYTES, TensorPiece, pack, unpack

DIMENSIONS = {"bias": 1, "step": 0, "weight": 2}
FILES: list[Mapping[str, TensorPiece]] = [
    {
        "weight": TensorPiece(100, (0, 2), (4, 3)),
        "step": TensorPiece(148, (), ()),
        "bias": TensorPiece(152, (5,), (1,)),
    },
    {},
    {"bias": TensorPiece(8, (0,), (5,))},
]
COUNTS = [3, 0, 1]


def test_pieces_come_back_in_their_order() -> None:
    back = unpack(pack(FILES, DIMENSIONS), COUNTS, DIMENSIONS)
    assert back == FILES
    assert list(back[0]) == ["weight", "step", "bias"]
    assert pack(back, DIMENSIONS) == pack(FILES, DIMENSIONS)


def test_pieces_of_many_processes_take_few_bytes() -> None:
    """Of 80 layers with 9 matrices in 64 files; 100 bytes of JSON a piece before."""
    names = [f"layers.{layer}.{matrix}" for layer in range(80) for matrix in range(9)]
    files = [
        {
            name: TensorPiece(4096 * row, (rank % 8 * 1024, rank // 8 * 128), (1024, 128))
            for row, name in enumerate(names)
        }
        for rank in range(64)
    ]
    assert len(pack(files, dict.fromkeys(names, 2))) < 6 * 64 * len(names)


def packed(*rows: list[int]) -> str:
    """Rows of tensor, difference of `at`, start and shape along two dimensions; the others are as none."""
    whole = [[*row[:4], 0, 0, 0, *row[4:], 1, 1, 1] for row in rows]
    return base64.b64encode(zlib.compress(np.array(whole, "<i8").T.tobytes())).decode()


@table(
    ("content", "counts", "message"),
    {
        "a tensor that is not there": (packed([3, 8, 0, 0, 1, 1]), [1], "of no tensor"),
        "a negative tensor": (packed([-1, 8, 0, 0, 1, 1]), [1], "of no tensor"),
        "a negative start": (packed([2, 8, -1, 0, 1, 1]), [1], "negative size"),
        "a negative size": (packed([2, 8, 0, 0, 1, -1]), [1], "negative size"),
        "a tensor twice": (packed([2, 8, 0, 0, 1, 1], [2, 8, 0, 0, 1, 1]), [2], "two pieces of one tensor"),
        "more than it says": (packed([2, 8, 0, 0, 1, 1], [1, 8, 0, 0, 1, 1]), [1], "not the 96 bytes"),
        "fewer than it says": (packed([2, 8, 0, 0, 1, 1]), [2], "not the 192 bytes"),
        "cut short": (packed([2, 8, 0, 0, 1, 1])[:-8], [1], "not the 96 bytes"),
        "no compressed bytes": ("AAAA", [1], "cannot be read"),
        "no base64": ("å", [0], "ASCII"),
        "zeros without end": (
            base64.b64encode(zlib.compress(bytes(2**24))).decode(),
            [1],
            "not the 96 bytes",
        ),
        "more than any memory": ("", [2**62], f"no checkpoint more than {MAX_BYTES:,}"),
    },
)
def test_what_nobody_packs_is_refused(content: str, counts: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        unpack(content, counts, DIMENSIONS)

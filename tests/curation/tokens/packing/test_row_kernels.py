"""Copies between arrays of tokens, of two and of four bytes."""

import numpy as np
import pytest

from curation.tokens.packing.documents import gather


@pytest.mark.parametrize("dtype", ["<u2", "<u4"])
def test_rows_are_gathered_and_padded(dtype: str) -> None:
    tokens = np.arange(100, 120, dtype=dtype)
    rows = gather(tokens, np.array([3, 0, 10]), np.array([2, 1, 4]), np.array([2, 0, 1]), row_tokens=4, padding=9)
    assert rows.dtype == np.dtype(dtype)
    assert rows.tolist() == [[103, 104, 100, 9], [9, 9, 9, 9], [110, 111, 112, 113]]

"""Views without an owner: the same values, read and written."""

import numpy as np
from numba import types

from curation.text.kernels.buffers import Indices
from curation.text.kernels.compiled import INDICES, OUT_INT64, kernel
from curation.text.kernels.views import unowned


@kernel(types.int64(INDICES, OUT_INT64))
def _doubled(values: Indices, out: Indices) -> int:
    values, out = unowned(values), unowned(out)
    for k in range(values.size):
        out[k] = 2 * values[k]
    return values.size


def test_a_view_is_the_same_array() -> None:
    values, out = np.arange(5)[1:4].copy(), np.zeros(3, np.int64)
    assert [_doubled(values, out) for _ in range(3)] == [3, 3, 3]
    assert out.tolist() == [2, 4, 6]
    assert values.tolist() == [1, 2, 3]

"""Read-only views: the same memory, and no way to write to it."""

from typing import NamedTuple

import numpy as np
import pytest

from curation.text.kernels.buffers import Indices
from curation.text.kernels.views import read_only


class Pair(NamedTuple):
    values: Indices
    size: int


def test_views_show_the_same_memory_and_cannot_be_written() -> None:
    values = np.arange(3)
    view = read_only(Pair(values, 3))
    values[1] = 7
    assert view.values.tolist() == [0, 7, 2]
    assert view.size == 3
    with pytest.raises(ValueError, match="read-only"):
        view.values[0] = 1

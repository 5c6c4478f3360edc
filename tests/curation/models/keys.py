"""Keys that many tests of key tables need: pairs of uint64 halves, drawn or given."""

import numpy as np
from hypothesis import strategies as st

from curation.core.protocols import Uint64s

_halves = st.integers(0, 2**64 - 1) | st.integers(0, 3)
keys = st.lists(st.tuples(_halves, _halves), max_size=60)


def halves(pairs: list[tuple[int, int]]) -> tuple[Uint64s, Uint64s]:
    """(hi, lo) of pairs."""
    both = np.array(pairs, np.uint64).reshape(-1, 2)
    return both[:, 0].copy(), both[:, 1].copy()


def drawn(count: int, seed: int) -> tuple[Uint64s, Uint64s]:
    """(hi, lo) of keys at random."""
    draw = np.random.default_rng(seed)
    return draw.integers(0, 2**64, count, np.uint64), draw.integers(0, 2**64, count, np.uint64)

"""Instructions against plain Python; those that compare blocks of bytes are in test_blocks."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from curation.text.kernels.blocks import first_bits
from curation.text.kernels.compiler.instructions import (
    folded_product,
    mersenne_product,
)
from curation.text.kernels.compiler.kernel import kernel

PRIME = 2**61 - 1


@kernel
def reduced(left: np.uint64, right: np.uint64) -> np.uint64:
    return mersenne_product(left, right)


@kernel
def folded(one: np.uint64, count: int) -> tuple[np.uint64, np.uint64]:
    return folded_product(one, one), first_bits(count)


@given(st.integers(0, 2**64 - 1), st.integers(-5, 70))
def test_numbers(one: int, count: int) -> None:
    product, first = folded(np.uint64(one), count)
    assert int(product) == (one * one >> 64) ^ (one * one & (2**64 - 1))
    assert int(first) == 2 ** min(max(count, 0), 64) - 1


@given(st.integers(0, PRIME), st.integers(0, PRIME))
def test_products_modulo_the_prime(left: int, right: int) -> None:
    product = int(reduced(np.uint64(left), np.uint64(right)))
    assert product < 2**62
    assert product % PRIME == left * right % PRIME

"""Instructions against plain Python; those that compare blocks of bytes are in test_blocks."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import carray  # type: ignore[attr-defined]

from curation.text.kernels.blocks import first_bits
from curation.text.kernels.buffers import Bytes
from curation.text.kernels.compiler.instructions import (
    address_of,
    fetch,
    folded_product,
    mersenne_product,
    move,
    pointer_to,
    store8,
)
from curation.text.kernels.compiler.kernel import Out, kernel

PRIME = 2**61 - 1


@kernel
def reduced(left: np.uint64, right: np.uint64) -> np.uint64:
    return mersenne_product(left, right)


@kernel
def moved(data: Out[Bytes], at: int, to: int, count: int) -> int:
    return move(address_of(data) + np.uint64(to), address_of(data) + np.uint64(at), count)


@kernel
def second(data: Bytes) -> int:
    """The number in bytes 4 to 7."""
    found = np.zeros(1, np.uint32)  # a kernel that makes no array may not make one of an address either
    found[0] = carray(pointer_to(address_of(data)), 2, np.uint32)[1]
    return int(found[0])


@kernel
def folded(one: np.uint64, count: int) -> tuple[np.uint64, np.uint64]:
    return folded_product(one, one), first_bits(count)


@kernel
def store(data: Out[Bytes], at: int, value: np.uint64) -> int:
    return store8(address_of(data) + np.uint64(at), value)


@kernel
def fetched(data: Bytes, at: int) -> int:
    return fetch(address_of(data) + np.uint64(at))


@given(st.integers(0, 2**64 - 1), st.integers(-5, 70))
def test_numbers(one: int, count: int) -> None:
    product, first = folded(np.uint64(one), count)
    assert int(product) == (one * one >> 64) ^ (one * one & (2**64 - 1))
    assert int(first) == 2 ** min(max(count, 0), 64) - 1


def test_eight_bytes_are_written_where_told() -> None:
    data = np.full(11, 9, np.uint8)
    assert store(data, 2, np.uint64(0x0807060504030201)) == 8
    assert data.tolist() == [9, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_asking_for_an_address_reads_nothing() -> None:
    data = np.full(11, 9, np.uint8)
    assert [fetched(data, at) for at in (0, 10, 1 << 40)] == [0, 0, 0]  # the last one is not this process's own
    assert data.tolist() == [9] * 11


@given(st.integers(0, PRIME), st.integers(0, PRIME))
def test_products_modulo_the_prime(left: int, right: int) -> None:
    product = int(reduced(np.uint64(left), np.uint64(right)))
    assert product < 2**62
    assert product % PRIME == left * right % PRIME


def test_bytes_are_moved_where_told() -> None:
    data = np.arange(8, dtype=np.uint8)
    assert moved(data, 0, 5, 3) == 3
    assert data.tolist() == [0, 1, 2, 3, 4, 0, 1, 2]


def test_an_address_as_an_array() -> None:
    assert second(np.array([1, 70_000], np.uint32).view(np.uint8)) == 70_000

"""Bits of keys in blocks, by hand."""

import numpy as np
import pytest

from curation.models.bloom.kernels import MAX_BLOCKS, block_of, insert

ONE = np.uint64(1)


def key(hi: int, *places: int) -> tuple[np.ndarray, np.ndarray]:
    """A key whose first bits are at these places of its block."""
    lo = sum(place << 9 * number for number, place in enumerate(places))
    return np.array([hi], np.uint64), np.array([lo], np.uint64)


def bits_of(words: np.ndarray) -> list[int]:
    return np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little")).tolist()


def test_a_key_sets_the_bits_that_its_lower_half_names() -> None:
    words = np.zeros(16, np.uint64)
    insert(*key(0, 3, 511, 64), ONE, 3, words)
    assert bits_of(words) == [3, 64, 511]
    insert(*key(2**63, 3, 0, 100), ONE, 3, words)  # in the second block of two
    assert bits_of(words) == [3, 64, 511, 512, 515, 612]


def test_of_two_partitions_each_has_its_own_blocks() -> None:
    words = np.zeros(16, np.uint64)
    insert(*key(2**63 + 2**62, 7), np.uint64(2), 1, words)  # in the middle of the second partition
    assert bits_of(words) == [512 + 7]


def test_an_eighth_bit_is_mixed_on() -> None:
    seven = np.zeros(8, np.uint64)
    nine = np.zeros(8, np.uint64)
    other = np.zeros(8, np.uint64)
    insert(*key(0, *range(7)), ONE, 7, seven)
    insert(*key(0, *range(7)), ONE, 9, nine)
    insert(*key(0, *range(6), 7), ONE, 9, other)
    assert bits_of(seven) == list(range(7))
    assert len(bits_of(nine)) == 9
    assert not set(bits_of(nine)[7:]) & set(bits_of(other)[7:])


@pytest.mark.parametrize(
    ("hi", "buckets", "blocks", "block"),
    [
        pytest.param(0, 1, 8, 0, id="first key"),
        pytest.param(2**64 - 1, 1, 8, 7, id="last key"),
        pytest.param(2**63 - 1, 1, 8, 3, id="last key of the lower half"),
        pytest.param(2**63, 1, 8, 4, id="first key of the upper half"),
        pytest.param(2**63, 2, 8, 0, id="first key of the second bucket of two"),
        pytest.param(2**63 + 2**62, 2, 8, 4, id="in the middle of the second bucket of two"),
        pytest.param(2**64 - 1, 2, MAX_BLOCKS, MAX_BLOCKS - 1, id="last of the most blocks"),
    ],
)
def test_block(hi: int, buckets: int, blocks: int, block: int) -> None:
    assert block_of(np.uint64(hi), np.uint64(buckets), np.uint64(blocks)) == block

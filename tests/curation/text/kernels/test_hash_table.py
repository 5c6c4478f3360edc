"""Open addressing: found again, or the free slot, also around the end."""

import numpy as np
import pytest

from curation.text.kernels.hash_table import factor, find_slot, hash_shift, home_of, table_size
from curation.text.kernels.mix64 import GOLDEN, STEP


@pytest.mark.parametrize(("keys", "size"), [(0, 64), (31, 64), (32, 128), (63, 128), (64, 256)])
def test_more_than_half_of_a_table_is_free(keys: int, size: int) -> None:
    assert table_size(keys) == size


def test_keys_of_one_home_stand_in_the_next_free_slots_and_around_the_end() -> None:
    keys = np.zeros(8, np.uint64)
    for key, slot in ((10, 6), (20, 7), (30, 0)):
        assert find_slot(keys, np.uint64(key), 6) == slot
        keys[slot] = key
    assert [find_slot(keys, np.uint64(key), 6) for key in (10, 20, 30, 40)] == [6, 7, 0, 1]


def test_a_key_that_is_not_there_leads_to_the_first_free_slot() -> None:
    keys = np.array([0, 5, 0, 0], np.uint64)
    assert find_slot(keys, np.uint64(9), 1) == 2


def test_a_home_is_the_upper_part_of_the_product() -> None:
    assert hash_shift(8) == 61
    assert home_of(np.uint64(7 << 61), np.uint64(1), np.uint64(61)) == 7
    assert home_of(np.uint64(3 << 60), np.uint64(5), np.uint64(61)) == 7  # 15 << 60 in 64 bits


@pytest.mark.parametrize("public", [np.uint64(1), GOLDEN])
def test_keys_that_share_a_home_by_one_factor_have_many_by_another(public: np.uint64) -> None:
    inverse = np.uint64(pow(int(public), -1, 1 << 64))
    keys = np.arange(1, 1001, dtype=np.uint64) * inverse
    shift = hash_shift(table_size(1000))
    assert {home_of(key, public, shift) for key in keys} == {0}
    assert len({home_of(key, STEP, shift) for key in keys}) > 500


def test_the_factor_is_odd_and_stays() -> None:
    assert int(factor()) % 2 == 1
    assert factor() == factor()

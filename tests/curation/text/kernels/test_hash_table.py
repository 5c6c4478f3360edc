"""Open addressing: found again, or the free slot, also around the end."""

import numpy as np
import pytest

from curation.text.kernels.hash_table import find_slot, table_size


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

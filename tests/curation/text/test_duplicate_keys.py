"""Keys that occur more than once, against a Counter."""

from collections import Counter

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from curation.text.duplicate_keys import count_keys, sieve
from curation.text.kernels.hash_table import table_size

keys_of_any_kind = st.lists(
    st.one_of(st.integers(0, 20), st.sampled_from([2**63, 2**64 - 1]), st.integers(0, 2**64 - 1))
)

Pair = tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32]]


def arrays(keys: list[int]) -> Pair:
    return np.array(keys, np.uint64), np.arange(len(keys), dtype=np.int32)


@given(keys_of_any_kind)
def test_the_sieve_keeps_every_key_that_occurs_twice(given_keys: list[int]) -> None:
    keys, places = arrays(given_keys)
    kept = sieve(keys, places, len(keys), np.full(4 * table_size(len(keys)), 7, np.uint8))
    found = places[:kept].tolist()
    assert keys[:kept].tolist() == [given_keys[place] for place in found]
    assert found == sorted(found)
    assert {place for place, key in enumerate(given_keys) if Counter(given_keys)[key] > 1} <= set(found)


def test_the_sieve_keeps_few_others() -> None:
    keys, places = arrays(np.random.default_rng(0).integers(0, 2**64 - 1, 10_000, np.uint64).tolist())
    assert sieve(keys, places, len(keys), np.zeros(4 * table_size(len(keys)), np.uint8)) < 10_000 / 6


@given(keys_of_any_kind)
def test_counts(given_keys: list[int]) -> None:
    keys, places = arrays(given_keys)
    size = table_size(len(keys))
    numbers, counts = np.zeros(len(keys), np.int32), np.full(size, -3, np.int32)
    kept = count_keys(keys, places, len(keys), numbers, np.full(size, 5, np.uint64), counts)
    expected = [place for place, key in enumerate(given_keys) if Counter(given_keys)[key] > 1]
    assert places[:kept].tolist() == expected
    assert keys[:kept].tolist() == [given_keys[place] for place in expected]
    assert counts[numbers[:kept]].tolist() == [Counter(given_keys)[given_keys[place]] for place in expected]
    assert len(set(numbers[:kept].tolist())) == len({given_keys[place] for place in expected})

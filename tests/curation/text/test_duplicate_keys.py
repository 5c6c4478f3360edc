"""Keys that occur more than once, against a Counter."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from curation.text.duplicate_keys import KeyRoom, count_keys, key_room, sieve

keys_of_any_kind = st.lists(
    st.one_of(st.integers(0, 20), st.sampled_from([2**63, 2**64 - 1]), st.integers(0, 2**64 - 1))
)


def filled(keys: list[int]) -> KeyRoom:
    """The tables hold what an earlier use left there."""
    room = key_room(len(keys))
    room.keys[:] = keys
    room.places[:] = np.arange(len(keys))
    for table, value in ((room.seen, 7), (room.slots, 5), (room.counts, -3)):
        table.fill(value)
    return room


@given(keys_of_any_kind)
def test_the_sieve_keeps_every_key_that_occurs_twice(given_keys: list[int]) -> None:
    room = filled(given_keys)
    kept = sieve(room, len(given_keys))
    found = room.places[:kept].tolist()
    assert room.keys[:kept].tolist() == [given_keys[place] for place in found]
    assert found == sorted(found)
    assert {place for place, key in enumerate(given_keys) if Counter(given_keys)[key] > 1} <= set(found)


def test_the_sieve_keeps_few_others() -> None:
    room = filled(np.random.default_rng(0).integers(0, 2**64 - 1, 10_000, np.uint64).tolist())
    assert sieve(room, 10_000) < 10_000 / 6


@given(keys_of_any_kind)
def test_counts(given_keys: list[int]) -> None:
    room = filled(given_keys)
    kept = count_keys(room, len(given_keys))
    numbers = room.numbers
    counts = room.counts
    expected = [place for place, key in enumerate(given_keys) if Counter(given_keys)[key] > 1]
    assert room.places[:kept].tolist() == expected
    assert room.keys[:kept].tolist() == [given_keys[place] for place in expected]
    assert counts[numbers[:kept]].tolist() == [Counter(given_keys)[given_keys[place]] for place in expected]
    assert len(set(numbers[:kept].tolist())) == len({given_keys[place] for place in expected})

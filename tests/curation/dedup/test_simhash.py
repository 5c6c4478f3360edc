"""Simhashes by hand, and that every pair within the distance is found, none beyond it."""

from itertools import combinations
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.core.dedup_methods import Keys
from curation.dedup.simhash import LARGE, Simhash, keys_of, simhashes
from tests.support import documents

Found = set[tuple[int, int]]


def simhash(text: str, words: int = 3) -> int:
    found, has_words = simhashes(pa.array([text], pa.large_string()), shingle_words=words)
    assert has_words.tolist() == [True]
    return int(found[0])


def paired(keys: Keys, bits: int, buckets: int = 1) -> tuple[Found, int]:
    """Rows that the method pairs, smaller first, and how many were skipped; keys are cut into buckets by prefix."""
    found: Found = set()
    skipped = 0
    for bucket in range(buckets):
        mine = np.flatnonzero(keys.hi % np.uint64(buckets) == bucket)
        order = mine[np.lexsort((keys.row[mine], keys.lo[mine], keys.hi[mine]))]
        pairs = Simhash(bits=bits).pairs(keys.hi[order], keys.lo[order], None)
        skipped += pairs.skipped
        rows = keys.row[order]
        found |= {
            (min(a, b), max(a, b)) for a, b in zip(rows[pairs.left].tolist(), rows[pairs.right].tolist(), strict=True)
        }
    return found, skipped


def of(values: list[int], bits: int) -> Keys:
    return keys_of(np.array(values, np.uint64), np.arange(len(values)), bits=bits)


def test_one_shingle_is_its_hash_and_two_are_what_both_have() -> None:
    abc = simhash("a b c")
    bcd = simhash("b c d")
    cde = simhash("c d e")
    assert len({abc, bcd, cde}) == 3
    assert simhash("a b c d") == abc & bcd
    assert simhash("a b c d e") == abc & bcd | abc & cde | bcd & cde


def test_a_shingle_weighs_as_often_as_it_occurs() -> None:
    aa = simhash("a a", 2)
    ab = simhash("a b", 2)
    assert simhash("a a a a b", 2) == aa  # three of four
    assert simhash("a b a b", 2) == ab  # two of three


def test_words_are_without_case_and_whitespace() -> None:
    assert simhash("On page\n12, it  rained.") == simhash("on PAGE 12, IT rained.")
    assert simhash("on page 12 it rained") != simhash("on page 95 it rained")
    assert simhash("it rained now") != simhash("it rained now.")
    assert simhash("rained it") != simhash("it rained")


def test_fewer_words_than_a_shingle_has() -> None:
    assert simhash("It rained") == simhash(" it  rained ")
    assert simhash("it rained") != simhash("it rained now")


def test_texts_longer_than_what_is_read_at_a_time() -> None:
    rng = Random(1)
    words = [f"{rng.choice('abcdefgh')}{rng.choice('aeiou')}{rng.choice('xyz')}" for _ in range(2500)]
    for size in (1, 3, 7):
        shingles = [" ".join(words[k : k + size]) for k in range(len(words) - size + 1)]
        each, _ = simhashes(pa.array(shingles, pa.large_string()), shingle_words=size)
        counts = [int((each >> np.uint64(bit) & np.uint64(1)).sum()) for bit in range(64)]
        assert simhash(" ".join(words), size) == sum(1 << bit for bit in range(64) if 2 * counts[bit] > len(shingles))


def test_documents_without_a_word_have_no_key() -> None:
    keys = Simhash().keys(documents("one two three", None, "", " \n\u2003", "One two  THREE"))
    assert keys.row.tolist() == [0] * 20 + [4] * 20
    assert keys.hi[:20].tolist() == keys.hi[20:].tolist()
    assert len(set(keys.hi[:20].tolist())) == 20
    assert set(keys.lo.tolist()) == {simhash("one two three")}


def test_a_changed_word_in_a_long_text_is_found_and_another_text_is_not() -> None:
    rng = Random(7)
    words = ["".join(rng.choices("abcdefghijklmnop", k=5)) for _ in range(4000)]
    texts = [" ".join(words[:2000]), " ".join([*words[:1000], "changed", *words[1001:2000]]), " ".join(words[2000:])]
    assert paired(Simhash().keys(documents(*texts)), 3)[0] == {(0, 1)}


@pytest.mark.parametrize(("bits", "tables"), [(0, 1), (1, 4), (2, 10), (3, 20), (4, 35), (5, 56), (6, 84)])
def test_every_pair_within_the_distance_is_found_and_none_beyond(bits: int, tables: int) -> None:
    rng = Random(bits)
    values = [rng.getrandbits(64) for _ in range(60)]
    for value in values[:60]:
        for distance in range(bits + 3):
            values.append(value ^ sum(1 << bit for bit in rng.sample(range(64), distance)))
    keys = of(values, bits)
    assert len(keys.hi) == tables * len(values)
    near = {(a, b) for a, b in combinations(range(len(values)), 2) if (values[a] ^ values[b]).bit_count() <= bits}
    found, skipped = paired(keys, bits)
    equal = {pair for pair in near if values[pair[0]] == values[pair[1]]}
    first = {values.index(value) for value in values}
    assert skipped == 0
    assert {pair for pair in near - equal if {*pair} <= first} == found - equal
    assert {pair for pair in equal if pair[0] in first} == found & equal
    assert paired(keys, bits, buckets=7)[0] == found


def test_all_places_of_three_bits() -> None:
    values = [0, *(1 << a | 1 << b | 1 << c for a, b, c in combinations(range(64), 3))][:2000]
    for value in values[1::37]:
        assert paired(of([0, value], 3), 3)[0] == {(0, 1)}
        assert paired(of([0, value], 2), 2)[0] == set()


@given(
    st.lists(st.sampled_from([0, 1, 3, 7, 15, 1 << 63, (1 << 63) + 1, (1 << 64) - 1]), max_size=12), st.integers(0, 4)
)
def test_what_is_paired_connects_what_is_near(values: list[int], bits: int) -> None:
    found, _ = paired(of(values, bits), bits)
    assert all((values[a] ^ values[b]).bit_count() <= bits for a, b in found)
    groups = {row: {row} for row in range(len(values))}
    for a, b in found:
        merged = groups[a] | groups[b]
        groups.update(dict.fromkeys(merged, merged))
    for a, b in combinations(range(len(values)), 2):
        assert (values[a] ^ values[b]).bit_count() > bits or b in groups[a]


def test_a_row_of_equal_simhashes_is_paired_with_the_first_once() -> None:
    keys = of([5] * 4, 3)
    order = np.lexsort((keys.row, keys.lo, keys.hi))
    pairs = Simhash().pairs(keys.hi[order], keys.lo[order], None)
    rows = keys.row[order]
    assert rows[pairs.left].tolist() == [0, 0, 0]
    assert rows[pairs.right].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("count", "skipped"),
    [
        pytest.param(LARGE, 0, id="64 simhashes of one key"),
        pytest.param(LARGE + 1, 0, id="65, of which the last one meets all"),
        pytest.param(LARGE + 6, 5, id="70"),
    ],
)
def test_keys_of_too_many_simhashes(count: int, skipped: int) -> None:
    lo = np.arange(count, dtype=np.uint64) << np.uint64(40)
    pairs = Simhash(bits=6).pairs(np.full(count, 9, np.uint64), lo, None)
    distances = {(a, b) for a, b in combinations(range(count), 2) if (a ^ b).bit_count() <= 6}
    assert pairs.skipped == skipped
    assert set(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)) == {p for p in distances if p[0] < LARGE}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bits": -1}, "bits must be 0 to 6, got -1"),
        ({"bits": 7}, "bits must be 0 to 6, got 7; for looser matches use minhash"),
        ({"shingle_words": 0}, "shingle_words must be at least 1, got 0"),
    ],
)
def test_what_cannot_be(options: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Simhash(**options)

import numpy as np
import pyarrow as pa
import pytest

from curation.dedup.minhash_kernels import agree_in_sets, agree_in_values, draw_family, hash_bands, sign_texts
from curation.text.kernels.buffers import text_buffers
from curation.text.kernels.unicode import lower_cases
from curation.text.shingles import shingle_hashes


def family(seed: int) -> tuple[list[int], list[int]]:
    factors = np.empty(112, np.uint32)
    addends = np.empty(112, np.uint32)
    draw_family(seed, factors, addends)
    return factors.tolist(), addends.tolist()


def test_a_family_is_of_permutations_and_of_its_seed() -> None:
    factors, addends = family(1)
    assert all(factor % 2 for factor in factors)
    assert len(set(factors)) == len(set(addends)) == 112
    assert family(1) == (factors, addends)
    assert not set(family(2)[0]) & set(factors)


@pytest.mark.parametrize("words", [1, 5, 6, 7, 8, 9, 1027, 2500], ids="{} words".format)
def test_signatures_are_the_least_values_of_the_family(words: int) -> None:
    text = pa.array([" ".join(f"w{k}" for k in range(words))], pa.large_string())
    factors, addends = family(1)
    found, _ = shingle_hashes(text, 5)
    signatures = np.empty((1, 112), np.uint32)
    signed = np.zeros(1, bool)
    own = np.array(factors, np.uint32), np.array(addends, np.uint32)
    sign_texts(*text_buffers(text), 5, lower_cases(), *own, signatures, signed)
    upper = [int(one) >> 32 for one in found]
    expected = [min((x * a + b) % 2**32 for x in upper) for a, b in zip(factors, addends, strict=True)]
    assert signatures[0].tolist() == expected
    assert signed.tolist() == [True]


def test_bands_of_chosen_rows() -> None:
    values = np.array([[1, 2, 1, 2], [9, 9, 9, 9], [1, 2, 2, 1]], np.uint32)
    hashes = np.zeros(4, np.uint64)
    hash_bands(values, np.array([0, 2]), 2, 2, hashes)
    assert hashes[0] == hashes[2]
    assert len(set(hashes.tolist())) == 3  # neither the band's number nor the order of values is lost


def test_agreement_only_clears() -> None:
    same = np.ones((2, 4), np.uint32)
    agree = np.array([True, False])
    agree_in_values(same, same, 1.0, agree)
    assert agree.tolist() == [True, False]


@pytest.mark.parametrize(
    ("left", "right", "likeness"),
    [([1, 2, 3], [2, 3, 4], 0.5), ([1], [1], 1.0), ([], [1], 0.0), ([1, 5], [2, 3, 4], 0.0), ([1, 2, 3, 4], [4], 0.25)],
)
def test_sets_agree_up_to_their_likeness(left: list[int], right: list[int], likeness: float) -> None:
    for threshold in (0.25, 0.5, 0.75, 1.0):
        agree = np.ones(1, bool)
        one = np.array(left, np.uint64)
        other = np.array(right, np.uint64)
        agree_in_sets(one, np.array([0, len(one)]), other, np.array([0, len(other)]), threshold, agree)
        assert agree.tolist() == [likeness >= threshold]

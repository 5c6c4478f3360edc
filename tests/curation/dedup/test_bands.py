import numpy as np
import pytest
from datasketch import MinHashLSH

from curation.core.dedup_methods import Pairs
from curation.dedup.bands import EACH_WITH_EACH, NEIGHBOURS, band_pairs, best_banding


def pairs(*groups: int) -> Pairs:
    """The pairs among groups of so many rows each."""
    hi = np.repeat(np.arange(len(groups), dtype=np.uint64), groups)
    return band_pairs(hi, np.zeros_like(hi))


def listed(found: Pairs) -> list[tuple[int, int]]:
    return list(zip(found.left.tolist(), found.right.tolist(), strict=True))


def test_rows_of_a_small_group_are_paired_each_with_each() -> None:
    assert listed(pairs(1, 3, 1, 2)) == [(1, 2), (1, 3), (2, 3), (5, 6)]


def test_no_rows() -> None:
    assert listed(pairs()) == []


def test_another_low_half_is_another_key() -> None:
    hi = np.zeros(4, np.uint64)
    lo = np.array([0, 0, 1, 1], np.uint64)
    assert listed(band_pairs(hi, lo)) == [(0, 1), (2, 3)]


def test_the_largest_group_of_which_no_row_is_skipped() -> None:
    found = pairs(EACH_WITH_EACH)
    assert len(set(listed(found))) == EACH_WITH_EACH * (EACH_WITH_EACH - 1) // 2
    assert found.skipped == 0


def test_a_group_larger_by_one() -> None:
    rows = EACH_WITH_EACH + 1
    found = pairs(2, rows)
    star = {(2, 2 + k) for k in range(1, rows)}
    chain = {(2 + k, 2 + k + d) for k in range(1, rows) for d in range(1, NEIGHBOURS + 1) if k + d < rows}
    assert set(listed(found)) == {(0, 1)} | star | chain
    assert len(listed(found)) == 1 + len(star) + len(chain)
    assert found.skipped == rows


@pytest.mark.soak
def test_pairs_grow_with_the_rows_of_a_giant_group() -> None:
    found = pairs(1_000_000)
    assert len(found.left) < (NEIGHBOURS + 1) * 1_000_000
    assert (found.left < found.right).all()
    assert set(found.right.tolist()) == set(range(1, 1_000_000))


@pytest.mark.parametrize("hashes", [32, 112])
@pytest.mark.parametrize("threshold", [0.2, 0.75, 0.85])
def test_banding_is_what_datasketch_finds(threshold: float, hashes: int) -> None:
    lsh = MinHashLSH(threshold=threshold, num_perm=hashes, weights=(0.2, 0.8))
    assert best_banding(threshold, hashes) == (lsh.b, lsh.r)


def test_a_single_band_is_refused() -> None:
    with pytest.raises(ValueError, match=r"cannot derive bands for threshold 1.0 and 16 hashes; give bands and rows"):
        best_banding(1.0, 16)

"""A key's block: in order of the keys, within its bucket, and as evenly as the keys themselves."""

import numpy as np
import pytest

from curation.core.document import bucket_of
from curation.models.bloom.key_blocks import MAX_BLOCKS, block_of


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


def test_sorted_keys_of_a_bucket_visit_the_blocks_in_order_and_evenly() -> None:
    hi = np.sort(np.random.default_rng(0).integers(0, 2**64, 300_000, np.uint64))
    own = hi[bucket_of(hi, 3) == 1]
    blocks = np.array([block_of(key, np.uint64(3), np.uint64(100)) for key in own], np.int64)
    assert np.all(np.diff(blocks) >= 0)
    counts = np.bincount(blocks, minlength=100)
    # 1,000 each with a deviation of 32: five of them.
    assert 840 < counts.min() <= counts.max() < 1160

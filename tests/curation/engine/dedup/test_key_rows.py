"""A key that many documents of a shard have: one row is left of it, and its documents are compared within the shard."""

import numpy as np
import pyarrow as pa

from curation.dedup.minhash import Minhash
from curation.engine.dedup.key_rows import HOT, RAW, thinned

METHOD = Minhash()


def rows(*keys: tuple[int, int, int]) -> pa.Table:
    """(hi, rank, doc) of each row."""
    named = [{"key_hi": hi, "key_lo": 0, "rank": rank, "doc": doc} for hi, rank, doc in keys]
    table = pa.Table.from_pylist(named, RAW)
    return table.append_column("copies", pa.array(np.ones(table.num_rows, np.uint32)))


def test_few_rows_of_a_key_are_all_sent() -> None:
    given = rows(*((7 << 60, 1, doc) for doc in range(HOT)), (3, 1, 0))
    left, candidates, skipped = thinned(METHOD, given)
    assert (left.equals(given), candidates.num_rows, skipped) == (True, 0, 0)


def test_of_many_the_best_is_sent_and_the_others_are_its_candidates() -> None:
    count = HOT + 1
    given = rows((3, 1, 0), *((7 << 60, 9 if doc else 1, doc) for doc in reversed(range(count))), (8 << 60, 1, 5))
    left, candidates, skipped = thinned(METHOD, given)
    assert list(zip(*(left[name].to_pylist() for name in ("key_hi", "doc", "copies")), strict=True)) == [
        (3, 0, 1),
        (7 << 60, 0, count),
        (8 << 60, 5, 1),
    ]
    pairs = set(zip(candidates["doc_a"].to_pylist(), candidates["doc_b"].to_pylist(), strict=True))
    assert {(0, doc) for doc in range(1, count)} <= pairs
    assert len(pairs) <= 4 * count
    assert skipped == count

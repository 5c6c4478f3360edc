"""Two keys a row: its url and its doc_id, told apart by the low half."""

import numpy as np
import pyarrow as pa

from curation.engine.lookup import LookupKeys
from curation.text.hashing import hash64
from tests.support import documents


def test_keys() -> None:
    batch = documents("a", "b", url=["http://x/1", None], doc_id=["id1", "id2"])
    keys = LookupKeys().keys(batch)
    hashed = hash64(pa.array(["http://x/1", "id1", "id2"], pa.large_string()))
    assert keys.hi.tolist() == hashed.tolist()
    assert keys.lo.tolist() == [0, 1, 1]
    assert keys.row.tolist() == [0, 0, 1]
    assert keys.row.dtype == np.int64

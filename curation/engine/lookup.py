"""The look-up table's keys: every url and every doc_id of a source's first stage, hashed."""

from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from curation.core.stage import Keys
from curation.text.hashing import hash64

LOOKUP_COLUMNS = ("url", "doc_id")


class LookupKeys:
    """Two keys per row: (hash64(url), 0) and (hash64(doc_id), 1); a row without a url has only the second."""

    reads: ClassVar[tuple[str, ...]] = LOOKUP_COLUMNS
    version: ClassVar[int] = 1

    def keys(self, batch: pa.RecordBatch) -> Keys:
        rows = np.arange(batch.num_rows, dtype=np.int64)
        has_url = np.asarray(batch.column("url").is_valid())
        url, doc_id = (hash64(_large(batch.column(name))) for name in LOOKUP_COLUMNS)
        hi = np.concatenate([url[has_url], doc_id])
        lo = np.concatenate([np.zeros(int(has_url.sum()), np.uint64), np.ones(len(rows), np.uint64)])
        return Keys(hi, lo, np.concatenate([rows[has_url], rows]))


def _large(array: pa.Array) -> Any:
    return array.cast(pa.large_string())

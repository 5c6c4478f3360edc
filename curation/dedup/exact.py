"""Exact dedup: documents are duplicates when their texts are the same but for case and whitespace.

The key is the 128-bit MurmurHash3 of the text's normal form (`curation/text/normalize.py`). A document whose normal
form is empty has no key: empty documents are never each other's duplicates.
Why 128 bits: with 64, among ten billion documents a few would be dropped for a key that they share by chance; with 128
the chance that any is lies at 10^-19.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from curation.core.stage import Keys
from curation.text.buffers import text_buffers
from curation.text.hashing import hash128
from curation.text.normalize import normalized


@dataclass(frozen=True, kw_only=True)
class Exact:
    """One key per document that has any text."""

    reads: ClassVar[tuple[str, ...]] = ("text",)
    version: ClassVar[int] = 1

    def keys(self, batch: pa.RecordBatch) -> Keys:
        """Keys in row order, at most one per row."""
        texts = normalized(batch.column("text"))
        _, offsets = text_buffers(texts)
        row = np.flatnonzero(np.diff(offsets))
        hi, lo = hash128(texts)
        return Keys(hi[row], lo[row], row)

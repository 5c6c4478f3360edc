"""Exact dedup: documents are duplicates when their texts differ only in case, whitespace and invisible characters.

The key is the hash of the text's normal form (`curation/text/normalize.py`), from which invisible characters are left
out unless they carry a meaning, such as a joiner in Persian or a variation selector behind an emoji. A document whose
normal form is empty has no key, so empty documents are not duplicates of each other.
Why nothing more is ignored: texts that differ in punctuation, digits or accents are edits; use `minhash` for these.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from curation.core.dedup_methods import Keys, Links, Pairs
from curation.core.protocols import Uint64s, Vectors
from curation.dedup.clusters.groups import equal_pairs
from curation.text.text_hash import text_keys


@dataclass(frozen=True, kw_only=True)
class Exact(Links):
    """One key per document that has any text."""

    reads: ClassVar[tuple[str, ...]] = ("text",)
    version: ClassVar[int] = 2

    def keys(self, batch: pa.RecordBatch) -> Keys:
        """Keys in row order, at most one per row."""
        hi, lo, present = text_keys(batch.column("text"))
        row = np.flatnonzero(present)
        return Keys(hi[row], lo[row], row)

    def keys_each(self) -> int:
        return 1

    def pairs(self, hi: Uint64s, lo: Uint64s, vector: Vectors | None) -> Pairs:
        """Equal keys are duplicates."""
        return equal_pairs(hi, lo)

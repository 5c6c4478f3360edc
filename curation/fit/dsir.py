"""Counts hashed n-grams of a target and of raw text: the weights by which `dsir` resamples documents like the target.

    - fit: {dsir: {target: wikipedia/*.jsonl}}    # or {target: {chain: books}, raw: {chain: web}}; raw text without
                                                  # `raw` is what the own chain kept
    - filter: {dsir: {model: "@dsir"}}
      name: weights

Source: Xie et al. 2023, "Data Selection for Language Models via Importance Resampling" (arXiv:2302.03169), section 4:
words and pairs of words in 10,000 buckets. `curation/models/dsir/` defines them. Counts are sums, so the file is the
same however the text is cut into shards, batches and workers. `sample_bytes` is shared evenly between target and raw
text; of a smaller target all is counted. A text that is in both counts in both, since raw text may hold the target.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.errors import InputError, RecipeError
from curation.core.fits import LABEL, Counts, ExampleFiles, Examples
from curation.fit.sample.shares import Sampled
from curation.models.dsir.features import count
from curation.models.dsir.importance import MOST_BUCKETS, MOST_ORDER, NgramCounts
from curation.text.kernels.mix64 import murmur3_each

# labels, and columns of SCHEMA
TARGET = "target"
RAW = "raw"
SCHEMA = pa.schema(
    [("key_hi", pa.uint64()), ("bucket", pa.int64()), (TARGET, pa.uint64()), (RAW, pa.uint64())],
)


@dataclass(frozen=True, kw_only=True)
class Dsir(Sampled, Counts):
    """Where the target and the raw text are, and the n-grams."""

    target: Annotated[ExampleFiles, "text like the one that is wanted: files, or {chain: NAME}"]
    raw: Annotated[ExampleFiles | None, "text that is selected from; None: the kept text of the fit's own chain"] = None
    order: Annotated[int, "n-grams of one word up to so many"] = 2
    buckets: Annotated[int, "that n-grams are hashed into"] = 10_000
    sample_bytes: Annotated[int, "of UTF-8 text, drawn by the engine"] = 2 << 30
    sample_by: str = LABEL
    sample_temperature: float = inf

    version: ClassVar[int] = 1
    asset: ClassVar[str] = "dsir.bin"
    reads: ClassVar[tuple[str, ...]] = ("text",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (1 <= self.order <= MOST_ORDER and 1 <= self.buckets <= MOST_BUCKETS):
            raise RecipeError(
                f"order is {self.order}, buckets {self.buckets}; give an order of 1 to {MOST_ORDER} and 1 to "
                f"{MOST_BUCKETS:,} buckets"
            )

    def examples(self) -> Mapping[str, Examples]:
        """Label -> where its text is."""
        return {TARGET: Examples.of(self.target), RAW: Examples() if self.raw is None else Examples.of(self.raw)}

    def schema(self) -> pa.Schema:
        return SCHEMA

    def count(self, rows: Iterator[pa.RecordBatch]) -> pa.Table:
        """Batches of documents with `text` and `label` -> SCHEMA, a row per bucket that occurs."""
        sums = np.zeros((2, self.buckets), np.uint64)
        for batch in rows:
            for side, label in enumerate((TARGET, RAW)):
                texts = batch.column("text").filter(pc.equal(batch.column(LABEL), label))
                sums[side] += count(texts, order=self.order, buckets=self.buckets).astype(np.uint64)
        return _table(sums)

    def merge(self, table: pa.Table) -> pa.Table:
        """SCHEMA -> the same, each bucket once, in the order of the buckets."""
        return _table(self._sums(table))

    def finish(self, tables: Iterable[pa.Table]) -> Mapping[str, bytes]:
        """SCHEMA, a bucket of the exchange at a time -> the file. Raises InputError if a side has no words."""
        target, raw = self._sums(pa.concat_tables([SCHEMA.empty_table(), *tables]))
        for label, counts in ((TARGET, target), (RAW, raw)):
            if not counts.any():
                raise InputError(f"the {label} text has no words to count; name files or a chain with text")
        return {self.asset: NgramCounts(self.order, target, raw).to_bytes()}

    def _sums(self, table: pa.Table) -> "np.ndarray[tuple[int, int], np.dtype[np.uint64]]":
        sums = np.zeros((2, self.buckets), np.uint64)
        for side, label in enumerate((TARGET, RAW)):
            np.add.at(sums[side], np.asarray(table["bucket"]), np.asarray(table[label]))
        return sums


def _table(sums: "np.ndarray[tuple[int, int], np.dtype[np.uint64]]") -> pa.Table:
    buckets = np.flatnonzero(sums.any(axis=0))
    keys = murmur3_each(buckets.astype(np.uint64))
    return pa.table([keys, buckets, *sums[:, buckets]], schema=SCHEMA)

"""MinHash dedup: documents that share most of their shingles, found through equal bands of signatures and verified.

Source: Broder 1997, "On the resemblance and containment of documents". A word is a run of characters without
whitespace, in lower case, with punctuation and digits, or one character of a script without spaces
(`curation/text/lower_words.py`); invisible characters that carry no meaning are left out
(`curation/text/edits/invisible.py`). A shingle is `shingle_words` consecutive words, or all words of a shorter
document. Digits and punctuation stay because pages from one template differ in little else. A document without a word
has no signature and no key, so empty documents are not duplicates of each other.

With `verify: signature`, pairs near the threshold are decided by chance. F1 in % of the pairs linked at 0.75, against
the exact likeness of all pairs of a set (2026-11-22, mean of 40 seeds; what `exact` loses, the bands lose):

    pairs                                within 0.1 of 0.75    signature    exact
    315 of documentation, revised                        57         91.0     98.2
    55 of web pages that people judged                   11         96.1     99.3
    40 of text extracted from web pages                   7         97.7     99.5
    10 of news, 0.96 alike, among 1,000                   0        100.0    100.0

Use `exact` where documents are edits of each other. It reads the texts twice more: a stage of a million documents, 30 %
of them copies, took 1.8 times the CPU time (`benchmarks/README.md`). More hashes with the same bands help less: 448 of
them (`bands: 14, rows: 8`) reach 94.7 on the revised documentation.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa

from curation.core.dedup_methods import Keys, Pairs, Verifies
from curation.core.protocols import Ints, Uint64s, Vectors
from curation.dedup.bands import band_pairs, best_banding
from curation.dedup.minhash_kernels import (
    Values,
    agree_in_sets,
    agree_in_values,
    draw_family,
    hash_bands,
    sign_texts,
)
from curation.text.edits.invisible import without_invisible
from curation.text.kernels.buffers import text_buffers
from curation.text.kernels.unicode import lower_cases
from curation.text.matches import Bools
from curation.text.shingles import shingle_sets

MOST_HASHES = 16_384


@dataclass(frozen=True, kw_only=True)
class Minhash(Verifies):
    """Documents with an equal band are candidates; verified candidates are duplicates.

    `verify: signature` compares the share of equal values in both signatures: an estimate of the Jaccard likeness J
    with a standard error of sqrt(J (1 - J) / hashes), 0.04 at the defaults. `exact` compares all shingles.

    The defaults are FineWeb's 5 words and 112 hashes with Data Prep Kit's threshold of 0.75. The bands derived from
    them are FineWeb's 14 of 8 rows: a pair with J = 0.75 is a candidate with probability 0.77, with 0.8 0.92, and with
    0.9 0.9997.
    """

    shingle_words: Annotated[int, "consecutive words in a shingle"] = 5
    hashes: Annotated[int, "of a signature"] = 112
    bands: Annotated[int | None, "of `rows` hashes each; if neither is given, the best for `threshold`"] = None
    rows: Annotated[int | None, "hashes of a band; candidates are equal in all hashes of one band at least"] = None
    threshold: Annotated[float, "least Jaccard likeness of duplicates"] = 0.75
    verify: Annotated[Literal["signature", "exact"], "exact: slower, but right near the threshold"] = "signature"
    seed: Annotated[int, "of the hash functions"] = 1

    reads: ClassVar[tuple[str, ...]] = ("text",)
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if self.shingle_words < 1:
            raise ValueError(f"shingle_words is {self.shingle_words}; a shingle needs at least 1 word")
        if not 1 <= self.hashes <= MOST_HASHES:
            raise ValueError(f"hashes is {self.hashes}; give 1 to {MOST_HASHES}")
        if not 0 < self.threshold <= 1:
            raise ValueError(f"threshold is {self.threshold}; give a Jaccard likeness above 0 and at most 1")
        if not 0 <= self.seed < 2**63:
            raise ValueError(f"seed is {self.seed}; give a whole number from 0 to 2^63 - 1")
        if self.bands is None and self.rows is None:
            bands, rows = best_banding(self.threshold, self.hashes)
            object.__setattr__(self, "bands", bands)
            object.__setattr__(self, "rows", rows)
        bands, rows = self.banding
        if bands < 1 or rows < 1 or bands * rows > self.hashes:
            raise ValueError(
                f"{bands} bands of {rows} rows need {bands * rows} hashes, and hashes is {self.hashes}; give at least "
                "1 of each and no more than there are hashes"
            )

    @property
    def banding(self) -> tuple[int, int]:
        """(bands, rows). Raises ValueError if only one of them was given."""
        if self.bands is None or self.rows is None:
            raise ValueError(
                f"bands is {self.bands} and rows is {self.rows}; give both bands and rows, or neither to derive them "
                "from threshold"
            )
        return self.bands, self.rows

    def keys(self, batch: pa.RecordBatch) -> Keys:
        return self.keys_of(self.sign(batch))

    def keys_each(self) -> int:
        """One per band."""
        return self.banding[0]

    def signature_type(self) -> pa.DataType:
        return pa.binary(4 * self.hashes)

    def sign(self, batch: pa.RecordBatch) -> pa.Array:
        """fixed_size_binary(4 * hashes)[N]: uint32[N, hashes] as bytes; null for a document without a word."""
        data, offsets = text_buffers(without_invisible(batch.column("text"))[0])
        signatures = np.empty((batch.num_rows, self.hashes), np.uint32)
        signed = np.empty(batch.num_rows, bool)
        factors, addends = _family(self.seed, self.hashes)
        sign_texts(data, offsets, self.shingle_words, lower_cases(), factors, addends, signatures, signed)
        valid = pa.array(signed).buffers()[1]
        return pa.Array.from_buffers(self.signature_type(), batch.num_rows, [valid, pa.py_buffer(signatures)])

    def keys_of(self, signatures: pa.Array) -> Keys:
        """One key per band of each signature: `hi` is a hash of the band's number and values, `lo` is 0."""
        values, signed = self._values(signatures)
        row = np.flatnonzero(signed)
        bands, rows = self.banding
        hi = np.empty(len(row) * bands, np.uint64)
        hash_bands(values, row, bands, rows, hi)
        return Keys(hi, np.zeros_like(hi), np.repeat(row, bands))

    def pairs(self, hi: Uint64s, lo: Uint64s, vector: Vectors | None) -> Pairs:
        """Candidates among rows with an equal key; large groups are not compared each with each (`bands.py`)."""
        return band_pairs(hi, lo)

    def evidence_type(self) -> pa.DataType | None:
        return pa.large_list(pa.uint64()) if self.verify == "exact" else None

    def evidence(self, batch: pa.RecordBatch) -> pa.Array:
        """large_list<uint64>[N]: each document's distinct shingles, ascending."""
        return shingle_sets(batch.column("text"), self.shingle_words)

    def agree(self, left: pa.Array, right: pa.Array) -> Bools:
        """bool[M]: which pairs reach the threshold; false without evidence."""
        if self.verify == "signature":
            return self.agree_by_signature(left, right)
        sets, begin, known = _sets(left)
        others, others_begin, also_known = _sets(right)
        agree = known & also_known
        agree_in_sets(sets, begin, others, others_begin, self.threshold, agree)
        return agree

    def agree_by_signature(self, left: pa.Array, right: pa.Array) -> Bools:
        """bool[M]: which pairs of signatures reach the threshold; false without one."""
        mine, known = self._values(left)
        other, also_known = self._values(right)
        agree = known & also_known
        agree_in_values(mine, other, self.threshold, agree)
        return agree

    def _values(self, signatures: pa.Array) -> tuple[Values, Bools]:
        """(uint32[N, hashes], bool[N]): a view of the signatures, and which are not null. Raises ValueError for other
        signatures."""
        if signatures.type != self.signature_type():
            raise ValueError(f"expected signatures of {self.hashes} hashes, got {signatures.type}; sign the texts anew")
        if len(signatures) == 0:
            return np.empty((0, self.hashes), np.uint32), np.empty(0, bool)
        values = np.frombuffer(signatures.buffers()[1], np.uint32).reshape(-1, self.hashes)
        rows = slice(signatures.offset, signatures.offset + len(signatures))
        return values[rows], signatures.is_valid().to_numpy(zero_copy_only=False)


@lru_cache
def _family(seed: int, hashes: int) -> tuple[Values, Values]:
    factors = np.empty(hashes, np.uint32)
    addends = np.empty(hashes, np.uint32)
    draw_family(seed, factors, addends)
    return factors, addends


def _sets(evidence: pa.Array) -> tuple[Uint64s, Ints, Bools]:
    """(uint64[S], int64[M + 1], bool[M]): the values of a large_list<uint64>, where each row's values begin, and which
    rows are not null."""
    columns = (evidence.values, evidence.offsets, evidence.is_valid())
    values, offsets, known = (column.to_numpy(zero_copy_only=False) for column in columns)
    return values, offsets, known

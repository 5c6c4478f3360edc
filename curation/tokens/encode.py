"""Encodes kept text as token ids, ends each document with the end-of-text token, and draws the validation split.

The split is a hash of the seed and the document's cluster, if a dedup stage before linked it to others, else its text.
So copies land on the same side whatever their source or shard, also near copies that dedup left: with `keep: all`, or
where it split a large cluster. Of several dedup stages the last one that linked the document counts.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.errors import RecipeError
from curation.text.kernels.hashing import Hashes, hash64
from curation.text.kernels.mix64 import splitmix64_each
from curation.tokens.encoders.load_tokenizer import load
from curation.tokens.mixing.permutation import round_keys

CLUSTER = "cluster"  # field of the columns of dedup methods that link documents: the number of the cluster, or null


@dataclass(frozen=True, kw_only=True)
class Encode:
    """Which tokenizer to use, and which fraction of the documents to hold out."""

    tokenizer: str  # path or URI of a tokenizer.json or of a SentencePiece model
    validation: float = 0.005  # fraction of documents
    validation_by_source: dict[str, float] = field(default_factory=dict)  # instead of `validation` for these sources
    seed: int = 0  # of the draw of held-out documents
    fast: bool = True  # use tiktoken where it gives the same ids

    reads: ClassVar[tuple[str, ...]] = ("text", "doc_id", "source")
    added: ClassVar[tuple[str, ...]] = ("fast",)
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        for fraction in (self.validation, *self.validation_by_source.values()):
            if not 0 <= fraction <= 1:
                raise RecipeError(f"a validation fraction is {fraction}; give a number from 0 to 1")

    def assets(self) -> dict[str, str]:
        """Raises InputError for a file that is not a tokenizer."""
        load(self.tokenizer)
        return {"tokenizer": self.tokenizer}

    def encode(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """N documents -> tokens large_list<uint16|uint32>[N], each ending in end-of-text; split string[N], "train" or
        "validation". A null text counts as empty."""
        loaded = load(self.tokenizer)
        encode = loaded.encode if self.fast else loaded.encode_by_library
        return {"tokens": encode(batch.column("text")), "split": self._split(batch)}

    def _split(self, batch: pa.RecordBatch) -> pa.Array:
        sources = batch.column("source").dictionary_encode()
        fractions = [self.validation_by_source.get(name, self.validation) for name in sources.dictionary.to_pylist()]
        addend, factor = round_keys(self.seed, "validation")[:2]
        draws = (_units(batch) + addend) * (factor | np.uint64(1))
        # The top 53 bits are exact as a float; a fraction of 1 takes every document, 0 none.
        below = (draws >> np.uint64(11)).astype(np.float64) / 2.0**53
        held_out = below < np.array(fractions, np.float64)[sources.indices.to_numpy()]
        return pc.if_else(pa.array(held_out), "validation", "train")


def _units(batch: pa.RecordBatch) -> Hashes:
    """uint64[N]: equal for documents that belong on one side of the split."""
    units = hash64(batch.column("text"))
    for column in batch.columns:
        if pa.types.is_struct(column.type) and column.type.get_field_index(CLUSTER) >= 0:
            cluster = pc.struct_field(column, CLUSTER)
            linked = np.asarray(cluster.is_valid())
            units[linked] = splitmix64_each(np.asarray(cluster.drop_null()).astype(np.uint64))
    return units

"""Containment: drop documents that stand nearly whole in others, such as a news page that a list of pages also shows.

    - dedup: {substring: {}}
    - filter: {containment: {of: substring}}

The likeness of such a pair is low, so `minhash` does not find it: where A is a third of B it is 0.33 at most, and the
bands would make a candidate of one such pair in 500. The methods that find repeated passages compare each passage with
all documents, and their spans say how much of a document stands elsewhere.

Source: Broder 1997, "On the resemblance and containment of documents": the containment of A in B is the share of A's
shingles that B has too. Here it is the share of A's bytes in the method's spans, over all documents that rank before A
together: a document that is put together from several others is contained too. By `keep` of the dedup stage, the first
of the documents with a passage counts it as its own, so that no passage is lost with all that hold it.

Of 67 pairs of revised documentation and of judged web pages with a containment of 0.8 and more by 5-word shingles, and
a likeness below 0.75, `substring: {}` covers 0.8 of 46, with runs of 200 bytes of 21, `line` of 3; of none with a
containment below 0.5 (data/neardup, 2026-11).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.component import Signals
from curation.core.errors import RecipeError
from curation.core.filter import Filter
from curation.core.limits import SHARES, Limit


@dataclass(frozen=True, kw_only=True)
class Containment(Filter):
    """The method whose spans count, and how much of a document may stand in others."""

    of: Annotated[str, "key of the method that found passages: line, paragraph or substring"]
    max_share: Annotated[float, "fraction of the text's bytes"] = 0.8

    reads: ClassVar[tuple[str, ...]] = ()
    limits: ClassVar[tuple[Limit, ...]] = (Limit("share", most="max_share", between=SHARES),)
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "reads", (self.of,))

    def signal_types(self) -> Signals:
        """The share of the text."""
        return {"share": pa.float64()}

    def check_columns(self, columns: Mapping[str, pa.DataType]) -> None:
        """Raises RecipeError if the method's column has no spans."""
        kind = columns[self.of]
        names = {field.name for field in kind} if pa.types.is_struct(kind) else set()
        if not {"spans", "text_bytes"} <= names:
            raise RecipeError(f"containment: {self.of} finds no passages; name line, paragraph or substring")

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> `share` float64[N], 0 for an empty text, null where the method's column is null.
        Raises RecipeError if the column has no spans."""
        column = batch.column(self.of)
        self.check_columns({self.of: column.type})
        spans = pc.struct_field(column, "spans")
        size = pc.struct_field(column, "text_bytes")
        flat = pc.list_flatten(spans)
        row = np.asarray(pc.list_parent_indices(spans))
        lengths = np.asarray(pc.struct_field(flat, "stop")) - np.asarray(pc.struct_field(flat, "start"))
        covered = np.bincount(row, weights=lengths, minlength=len(batch))
        share = covered / np.maximum(np.asarray(pc.fill_null(size, 1)), 1)
        return {"share": pa.array(share, mask=np.asarray(pc.is_null(size)))}

"""RefinedWeb's page rule: drop a document that lost too many of its words to the line rules.

Source: Penedo et al. 2023, "The RefinedWeb Dataset for Falcon LLM" (arXiv:2306.01116), appendix G.2. It reads the
counts of the rewriter `refinedweb_lines` in an earlier stage.
Choices the paper leaves open: words are whitespace tokens; only the words that were cut count, not all of an edited
line. A document without words lost none.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.by_language import ByLanguage
from curation.core.component import Signals
from curation.core.limits import SHARES, Limit


@dataclass(frozen=True, kw_only=True)
class RefinedwebQuality(ByLanguage):
    """The limit on what the line rules may remove; the default is the paper's."""

    max_removed_words: Annotated[float, "fraction of words"] = 0.05

    reads: ClassVar[tuple[str, ...]] = ("refinedweb_lines",)
    limits: ClassVar[tuple[Limit, ...]] = (Limit("removed_words", most="max_removed_words", between=SHARES),)
    version: ClassVar[int] = 2

    def signal_types(self) -> Signals:
        """The share of words."""
        return {"removed_words": pa.float64()}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> `removed_words` float64[N] in [0, 1], null where the rewriter's counts are null."""
        words, removed = (
            pc.struct_field(batch.column("refinedweb_lines"), name) for name in ("words", "words_removed")
        )
        share = pc.divide(removed.cast(pa.float64()), pc.max_element_wise(words, 1, skip_nulls=False))
        return {"removed_words": share}

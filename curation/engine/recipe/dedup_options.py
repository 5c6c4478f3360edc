"""What may stand beside `dedup:` in a recipe: which documents survive, earlier runs to compare with, and limits.

- dedup: {exact: {}, minhash: {threshold: 0.8}}
  keep: longest
  against: [runs/2024-10]
  clusters: {max_documents: 1000, split: true}
  max_removed: {source: 0.6, books: 0.1}
"""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from curation.dedup.clusters.elect import Limits
from curation.dedup.clusters.survival import Keep
from curation.engine.recipe.options import StageOptions


@dataclass(frozen=True, kw_only=True)
class DedupOptions(StageOptions):
    """Options of a dedup stage; `keep`, `against` and `clusters` enter its address, the others change no
    data. `against` compares with all documents that reached an earlier stage, those that it dropped included."""

    keep: Annotated[
        Literal["longest", "earliest", "all"] | dict[str, Any],
        "the one document of a cluster that is kept: longest (in UTF-8 bytes), earliest (crawled first, undated last), "
        "{highest: filter.signal}, {lowest: filter.signal} or {sources: [best, second]}; all: each, marked only",
    ] = "earliest"
    against: Annotated[
        tuple[str, ...], "folders of earlier runs (or of their dedup stages): what they have is dropped here"
    ] = ()
    clusters: Annotated[Limits, "which are reported as too large, and whether they are split"] = field(
        default_factory=Limits
    )
    max_removed: Annotated[dict[str, float], "fraction of a source's documents; `source`: of any"] = field(
        default_factory=dict
    )
    local_links: Annotated[
        int, "up to so many, one task joins all clusters (100 bytes each); above, rounds of tasks"
    ] = 20_000_000

    def __post_init__(self) -> None:
        super().__post_init__()
        Keep.parse(self.keep)
        for source, share in self.max_removed.items():
            if not 0.0 <= share <= 1.0:
                raise ValueError(f"max_removed is a fraction of a source's documents, 0 to 1; {source} has {share}")
        if self.local_links < 0:
            raise ValueError(f"local_links must be 0 or more, got {self.local_links}")

    def allowed(self, source: str) -> float:
        """The fraction of a source's documents that may be removed: its own limit, else that of `source`."""
        return self.max_removed.get(source, self.max_removed.get("source", 1.0))

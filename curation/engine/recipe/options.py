"""What may stand beside the verb of a stage in a recipe. Beside `dedup` that is also which documents survive, earlier
runs to compare with, and limits.

- dedup: {exact: {}, minhash: {threshold: 0.8}}
  keep: longest
  against: [runs/2024-10]
  clusters: {max_documents: 1000, split: true}
  max_removed: {source: 0.6, books: 0.1}
"""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from curation.core.watchdog import WorkLimits
from curation.dedup.clusters.elect import Limits
from curation.dedup.clusters.survival import Keep

LONGEST_NAME = 60
MAX_SECONDS = 1_000_000
MIN_MEMORY_MB = 64  # less would catch what reading and writing take
MAX_MEMORY_MB = 1 << 20
MEANINGS = {  # of the fields of the struct column that a dedup method adds
    "duplicate_of": "number (shard << 32 | row) of the document that is kept instead; null for one that is kept",
    "copies": "documents that the kept one stands for, itself included: a weight; the same on all of them",
    "cluster": "number of the cluster's first document: the same on all documents linked with each other, else null",
    "spans": "passages that stand elsewhere too, UTF-8 bytes of the text: `cut_spans` cuts them",
    "units": "lines, paragraphs or windows of the text that were compared",
    "repeated": "of these, how many stand in another document that is kept",
    "text_bytes": "UTF-8 bytes of the text",
    "member": "true where another document has the key: one before it, or one of the filters read",
}


@dataclass(frozen=True, kw_only=True)
class StageOptions:
    """What may stand beside the verb; none of it changes the data, so none of it enters an address."""

    name: Annotated[str, "name of the stage and its folder; default: the verb, or the keys of a filter"] = ""
    expect_kept: Annotated[
        tuple[float, float], "[low, high]: the run stops if the fraction of rows that the stage keeps is outside"
    ] = (0.0, 1.0)
    max_errors: Annotated[float, "largest fraction of rows that may be dropped because of errors (error.*)"] = 0.01
    max_failed_units: Annotated[
        int, "number of units that may fail in all attempts; the stage is finished without them"
    ] = 0
    max_failed_inputs: Annotated[int, "number of a source's files that may be unreadable, or too damaged"] = 0
    max_failed_rows: Annotated[float, "largest fraction of a file's lines or records that may be unreadable"] = 0.5

    document_seconds: Annotated[
        float, "most seconds of processor time for a document, or in a file until the next one"
    ] = 60.0
    document_memory_mb: Annotated[int, "most MiB by which a task may grow on a document"] = 2_048

    @property
    def limits(self) -> WorkLimits:
        """Limits on the work on a document."""
        return WorkLimits(seconds=self.document_seconds, memory=self.document_memory_mb << 20)

    def __post_init__(self) -> None:
        low, high = self.expect_kept
        if not 0.0 <= low <= high <= 1.0:
            raise ValueError(f"expect_kept must be [low, high] with 0 <= low <= high <= 1, got [{low}, {high}]")
        if not 0.0 <= self.max_errors <= 1.0:
            raise ValueError(f"max_errors is a fraction of the rows, 0 to 1, got {self.max_errors}")
        if self.max_failed_units < 0:
            raise ValueError(f"max_failed_units is a number of units, 0 or more, got {self.max_failed_units}")
        if self.max_failed_inputs < 0:
            raise ValueError(f"max_failed_inputs is a number of input files, 0 or more, got {self.max_failed_inputs}")
        if not 0.0 <= self.max_failed_rows <= 1.0:
            raise ValueError(f"max_failed_rows is a fraction of a file's rows, 0 to 1, got {self.max_failed_rows}")
        if not 0.0 < self.document_seconds <= MAX_SECONDS:
            raise ValueError(f"document_seconds is above 0 and at most {MAX_SECONDS:,}, got {self.document_seconds}")
        if not MIN_MEMORY_MB <= self.document_memory_mb <= MAX_MEMORY_MB:
            raise ValueError(
                f"document_memory_mb is between {MIN_MEMORY_MB} and {MAX_MEMORY_MB:,}, got {self.document_memory_mb}"
            )
        if len(self.name) > LONGEST_NAME:
            raise ValueError(f"name {self.name[:20]}… has {len(self.name)} characters; at most {LONGEST_NAME}")
        if self.name and not self.name.replace("-", "_").isidentifier():
            raise ValueError(f"name {self.name!r} becomes part of a folder: use letters, digits, - and _")


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

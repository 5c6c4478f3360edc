"""What packing wasted and what it cut: padding among the rows' tokens, and documents that stand in several rows."""

from collections.abc import Iterable
from dataclasses import dataclass

from curation.core.manifest import Manifest


@dataclass(frozen=True)
class Packed:
    """A source of a pack stage, or a sub-source; both splits together. `slots`: tokens that the rows have room for,
    `padding` those that hold none; `cut`: documents that stand in more than one row."""

    stage: str
    method: str
    source: str
    rows: int
    slots: int
    padding: int
    documents: int
    cut: int


def packing(manifests: Iterable[Manifest]) -> tuple[Packed, ...]:
    """A line per pack stage and source. Packs of the first format did not count padding and cuts: 0 there."""
    found = []
    for manifest in manifests:
        section = manifest.tokens or {}
        for source, splits in section.get("sources", {}).items():
            rows, padding, documents, cut = (
                sum(split.get(kind, 0) for split in splits.values()) for kind in ("rows", "padding", "documents", "cut")
            )
            slots = rows * section["row_tokens"]
            found.append(Packed(manifest.name, section["method"], source, rows, slots, padding, documents, cut))
    return tuple(found)

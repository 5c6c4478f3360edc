"""What packing wasted and what it cut: padding among the rows' tokens, and documents that stand in several rows."""

from collections.abc import Iterable
from dataclasses import dataclass

from curation.account.run.stage import Stage


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


def packing(stages: Iterable[Stage]) -> tuple[Packed, ...]:
    """A line per pack stage and source."""
    packs = []
    for stage in stages:
        section = stage.manifest.tokens or {}
        for source, splits in section.get("sources", {}).items():
            rows, padding, documents, cut = (
                sum(split[kind] for split in splits.values()) for kind in ("rows", "padding", "documents", "cut")
            )
            slots = rows * section["row_tokens"]
            packs.append(Packed(stage.name, section["method"], source, rows, slots, padding, documents, cut))
    return tuple(packs)

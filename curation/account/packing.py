"""What packing wasted and cut: padding in the rows, and documents that span several rows."""

from collections.abc import Iterable
from dataclasses import dataclass

from curation.account.run.stage import Stage


@dataclass(frozen=True)
class Packed:
    """A source or sub-source of a pack stage, both splits together. `slots` counts places for tokens in the rows,
    `padding` the unused ones, `cut` documents in more than one row."""

    stage: str
    method: str
    source: str
    rows: int
    slots: int
    padding: int
    documents: int
    cut: int


def packing(stages: Iterable[Stage]) -> tuple[Packed, ...]:
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

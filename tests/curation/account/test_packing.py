"""Waste and cuts of packs."""

from typing import Any

from curation.account.packing import Packed, packing
from curation.account.run.stage import Stage
from curation.core.manifest import Manifest, StageEntry
from curation.core.verbs import PACK


def stage(name: str, tokens: dict[str, Any] | None) -> Stage:
    manifest = Manifest(4, 1, name, PACK, "joined", "", {}, (), (), {}, tokens=tokens)
    return Stage(name, StageEntry(name, PACK, "joined", name, ""), known=manifest)


def test_both_splits_of_each_source() -> None:
    train = {"rows": 10, "tokens": 45, "documents": 7, "padding": 5, "cut": 2}
    held = {"rows": 1, "tokens": 2, "documents": 1, "padding": 3, "cut": 0}
    section = {"method": "best_fit", "row_tokens": 5, "sources": {"web": {"train": train, "validation": held}}}
    assert packing([stage("tokenize", None), stage("pack", section)]) == (
        Packed("pack", "best_fit", "web", rows=11, slots=55, padding=8, documents=8, cut=2),
    )

"""Waste and cuts of packs, also of the first format."""

from typing import Any

from curation.account.packing import Packed, packing
from curation.core.manifest import Manifest
from curation.core.verbs import PACK


def manifest(name: str, tokens: dict[str, Any] | None) -> Manifest:
    return Manifest(2, 1, name, PACK, "joined", "", {}, (), (), {}, tokens=tokens)


def test_both_splits_of_each_source() -> None:
    train = {"rows": 10, "tokens": 45, "documents": 7, "padding": 5, "cut": 2}
    held = {"rows": 1, "tokens": 2, "documents": 1, "padding": 3, "cut": 0}
    section = {"method": "best_fit", "row_tokens": 5, "sources": {"web": {"train": train, "validation": held}}}
    assert packing([manifest("tokenize", None), manifest("pack", section)]) == (
        Packed("pack", "best_fit", "web", rows=11, slots=55, padding=8, documents=8, cut=2),
    )


def test_the_first_format_counted_neither() -> None:
    counts = {"rows": 3, "tokens": 11, "documents": 3, "utf8_bytes": 30}
    section = {"method": "concat", "row_tokens": 5, "sources": {"web": {"train": counts}}}
    (found,) = packing([manifest("pack", section)])
    assert (found.slots, found.padding, found.cut) == (15, 0, 0)

"""Every part that the catalog finds has the shape that its verb's room asks for, states a version, and pickles."""

import dataclasses
import pickle
from typing import Any

import pytest

from curation.core import catalog, protocols
from curation.extract.resiliparse import Resiliparse
from curation.extract.trafilatura import Trafilatura

SHAPES: dict[str, type] = {
    "read": protocols.Source,
    "extract": protocols.Extractor,
    "filter": protocols.Filter,
    "rewrite": protocols.Rewriter,
    "dedup": protocols.DedupMethod,
    "fit": protocols.Fit,
}
# What a part cannot do without, where it has options without a default.
REQUIRED: dict[str, dict[str, Any]] = {
    "language": {"languages": ("en",)},
    "unigram_divergence": {"reference": "unigrams.bin"},
    "cut_spans": {"of": ("line",)},
    "semantic": {"centroids": "centroids.npy", "model": "words.vec"},
    "kmeans": {"model": "words.vec"},
    "cascade": {"first": {"resiliparse": Resiliparse()}, "then": {"trafilatura": Trafilatura()}},
}
PARTS = [(verb, key) for verb in SHAPES for key in catalog.known(verb)]


def made(verb: str, key: str) -> Any:
    options = {"paths": ("x",)} if verb == "read" else REQUIRED.get(key, {})
    return catalog.find(verb, key)(**options)


@pytest.mark.parametrize(("verb", "key"), PARTS)
def test_a_part_has_the_shape_of_its_room(verb: str, key: str) -> None:
    part = made(verb, key)
    assert isinstance(part, SHAPES[verb])
    assert isinstance(part.version, int)
    assert part.version >= 1
    assert dataclasses.is_dataclass(part)
    with pytest.raises(dataclasses.FrozenInstanceError):
        part.version = 2
    assert pickle.loads(pickle.dumps(part)) == part


def test_every_room_has_parts() -> None:
    assert {verb for verb, _ in PARTS} >= {"read", "extract", "filter", "dedup", "fit"}


def test_a_tally_starts_empty() -> None:
    first, second = protocols.ReadTally(), protocols.ReadTally()
    first.records["x"] += 1
    first.faults.append({"file": "a", "offset": 0, "error": "clipped"})
    assert (second.records["x"], second.faults) == (0, [])

"""Units, requests and memory of a step at the planned size follow the engine's own arithmetic."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from curation.core.manifest import Manifest, StepWork
from curation.core.verbs import DEDUP, FILTER, FIT, PACK, READ
from curation.engine.recipe.dedup_options import DedupOptions
from curation.engine.recipe.node import Node
from curation.engine.recipe.options import StageOptions
from curation.engine.sizing.growth import Growth
from curation.engine.sizing.step_layout import SizedStage, links_of, memory_of, ranges, requests_of, units_of
from tests.curation.engine.fit.toys import Listed


def step(name: str, **fields: Any) -> StepWork:
    plain = {"units": 4, "seconds": 40.0, "longest": 10.0, "first_seconds": 20.0, "wall_seconds": 20.0, "files": 4}
    return StepWork(**{"name": name, "file_bytes": 4000, "memory": 1 << 30, "cpus": 1.0, "cores": 2, **plain, **fields})


def stage(verb: Any, documents: float = 1000.0, planned: int = 4000, **sample: Any) -> SizedStage:
    node = SimpleNamespace(
        verb=verb, stage=SimpleNamespace(options=DedupOptions() if verb is DEDUP else StageOptions())
    )
    empty = {"dedup": None, "lookup": None, "asset": None, "total": {"rows": 100_000}.__getitem__}
    manifest = SimpleNamespace(**{**empty, **sample})
    if verb is FIT:
        node.components = (("listed", Listed(sample_bytes=10**8)),)
    return SizedStage(cast(Node, node), cast(Manifest, manifest), Growth(documents, planned - 10, planned, 1.0, 1.0))


LEARNED = {"sample": {"groups": [{"available_bytes": 10**8, "sample_bytes": 10**7}]}}  # of 10^8 bytes at most
KEYS = {"keys": 1_400_000, "links": 30_000, "verified": 10_000}  # of 100,000 documents


@pytest.mark.parametrize(
    ("name", "planned", "units"),
    [
        pytest.param("read", stage(READ), 3990, id="inputs"),
        pytest.param("index", stage(READ), 4000, id="shards of the look-up table"),
        pytest.param("sort index", stage(READ, lookup={"rows": 300_000}), 32, id="19 GB of rows in buckets of 900 MiB"),
        pytest.param("filter", stage(FILTER), 4000, id="shards"),
        pytest.param("learn", stage(FIT, asset=LEARNED), 1, id="a fit learns in one task"),
        pytest.param("draw", stage(FIT, asset=LEARNED), 1491, id="100 GB of text in portions of 64 MiB"),
        pytest.param("count", stage(FIT, planned=100, asset=LEARNED), 100, id="no more portions than shards"),
        pytest.param("merge", stage(FIT, asset=LEARNED), 40, id="ten times the text in ten times the buckets"),
        pytest.param("pack", stage(PACK, documents=1e6), 8, id="4 GB of tokens in files of half a GiB"),
        pytest.param("pack", stage(PACK, documents=1.0), 4, id="at most 1,000 shards each"),
        pytest.param("keys", stage(DEDUP, dedup=KEYS), 4000, id="keys"),
        pytest.param("collide", stage(DEDUP, dedup=KEYS), 64, id="46 GB of keys in buckets of 900 MiB"),
        pytest.param("verify", stage(DEDUP, dedup=KEYS), 64, id="blocks of 100 million documents"),
        pytest.param("elect", stage(DEDUP, documents=10.0, dedup=KEYS), 4, id="few links"),
        pytest.param(
            "elect", stage(DEDUP, documents=10_000.0, dedup=KEYS), 32, id="400 million links in 16 million each"
        ),
        pytest.param("gather", stage(FILTER, documents=2.0), 8, id="gathered files"),
    ],
)
def test_units(name: str, planned: SizedStage, units: int) -> None:
    assert units_of(step(name), planned) == units


def test_ranges_are_read_from_gathered_files_where_they_are_many() -> None:
    assert ranges(100, 64, 10**9) == 6400
    assert ranges(4000, 64, 4000 << 30) == 4000 + 2000 * 64  # files of 1 GiB, two in each gathered one
    assert ranges(4096, 64, 0) == 4096 + 4 * 64  # at most 1,024 in one


def test_requests_stay_within_the_budget() -> None:
    assert requests_of(step("filter"), stage(FILTER), 4000) == 16_000
    assert requests_of(step("verify"), stage(DEDUP, dedup=KEYS), 64) == 16_000 + 2 * 2 * 64 * 64
    assert requests_of(step("collide"), stage(DEDUP, documents=1.0, planned=10, dedup=KEYS), 16) == 64 + 2 * 160


def test_memory_grows_with_the_rows_of_a_bucket_only() -> None:
    planned = stage(DEDUP, dedup=KEYS)
    assert memory_of(step("collide", memory=(1 << 30) + 1000), planned, 64) == (1 << 30) + 1000 * 1000 * 4 // 64
    assert memory_of(step("keys", memory=3 << 30), planned, 64) == 3 << 30


def test_links_are_those_of_keys_and_the_verified_ones() -> None:
    assert links_of(stage(DEDUP, dedup=KEYS)) == 40_000_000

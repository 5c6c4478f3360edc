"""A finished run says what the same recipe takes on more input and more nodes; figures of steps by hand."""

import json
import re
import shutil
from collections.abc import Callable
from math import inf, nan
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from curation.core.errors import InputError
from curation.core.manifest import StepWork
from curation.core.verbs import DEDUP, FILTER, FIT, PACK, READ
from curation.engine.recipe.options import DedupOptions
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from curation.engine.sizing import sizing
from curation.engine.sizing.growth import Growth, growths, sample_stages
from curation.engine.sizing.sizing import StepSize, bound_of, size_run, wall_of
from tests.curation.engine.driver.test_runner import STAGES, curate
from tests.curation.engine.fit.toys import Listed
from tests.curation.engine.inputs import write_sources


def test_the_whole_run(tmp_path: Path) -> None:
    text = write_sources(tmp_path)
    curate(text, tmp_path / "run")
    recipe = parse(text, "m")
    sample = str(tmp_path / "run")
    same = size_run(recipe, sample, nodes=1, cpus=1)
    assert [stage.name for stage in same.stages] == STAGES
    assert [stage.documents for stage in same.stages][:4] == [16, 16, 13, 28]
    assert (same.cost, same.nodes, same.cpus) == (None, 1, 1)
    assert same.warnings == ()  # nothing that takes seconds is worth one
    more = size_run(recipe, sample, nodes=10, cpus=4, times=1000.0, price=2.0)
    assert [stage.documents for stage in more.stages][:4] == [16_000, 16_000, 13_000, 28_000]
    assert more.file_bytes > 100 * same.file_bytes
    assert more.requests > same.requests
    assert more.cost == pytest.approx(more.hours * 10 * 2.0)
    assert more.node_hours == pytest.approx(more.hours * 10)
    huge = size_run(recipe, sample, nodes=100, cpus=32, times=1e8)
    assert "the sample had 2 units on 1 cores, fewer than 8 a core" in huge.warnings[0]
    assert any("more than local_links 20,000,000" in warning for warning in huge.warnings)
    assert any(re.search(r"the sample had only 0\.\d\d s of it; take a larger one", one) for one in huge.warnings)
    for nodes, cpus, times in ((0, 4, 1.0), (1, 0, 1.0), (1, 1, 0.0), (1, 1, nan), (1, 1, inf)):
        with pytest.raises(InputError, match="at least one node"):
            size_run(recipe, sample, nodes=nodes, cpus=cpus, times=times)


def test_each_source_grows_by_its_own_input(tmp_path: Path) -> None:
    text = write_sources(tmp_path)
    curate(text, tmp_path / "run")
    for number in range(2):  # news: of two files four; books stay one
        shutil.copy(tmp_path / f"news-{number}.jsonl", tmp_path / f"news-{number + 2}.jsonl")
    recipe = parse(text, "m")
    plan = build_plan(recipe)
    sample = sample_stages(str(tmp_path / "run"), plan)
    by_name = dict(zip(STAGES, growths(recipe, plan, sample, 1.0), strict=True))
    assert by_name["news-gopher_quality"] == Growth(2.0, 4)
    assert by_name["books-read"] == Growth(1.0, 1)
    assert by_name["dedup"].documents == pytest.approx((2 * 15 + 13) / 28)  # the filter drops one of 16 news
    assert (by_name["dedup"].shards, by_name["mix"].shards) == (5, 5)
    assert growths(recipe, plan, sample, 10.0)[1] == Growth(20.0, 40)


def without_steps(folder: Path) -> None:
    (manifest,) = (folder / "run").glob("*-dedup-*/_manifest.json")
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"steps": []}))


def without_input(folder: Path) -> None:
    for name in ("news-0", "news-1"):
        (folder / f"{name}.jsonl").write_text("")


@pytest.mark.parametrize(
    ("changed", "old", "new", "message"),
    [
        (
            None,
            "gopher_quality",
            "gopher_repetition",
            "has no finished stage news-gopher_repetition.*on a sample first",
        ),
        (None, "dedup: {exact: {}}", "dedup: {simhash: {}}", "dedup of .* has exact, the recipe has simhash"),
        (without_steps, "", "", "dedup of .* says nothing of its steps: an older winnow sealed it"),
        (without_input, "", "", "news-read: the sizes of its inputs, or of the sample's, are unknown"),
    ],
)
def test_a_sample_that_says_too_little_is_refused(
    tmp_path: Path, changed: Callable[[Path], None] | None, old: str, new: str, message: str
) -> None:
    text = write_sources(tmp_path)
    curate(text, tmp_path / "run")
    if changed is not None:
        changed(tmp_path)
    with pytest.raises(InputError, match=message):
        size_run(parse(text.replace(old, new), "m"), str(tmp_path / "run"), nodes=1, cpus=1)


LEARNED = {"sample": {"groups": [{"sample_bytes": 10**7}]}}  # of 10^8 bytes at most
LINKS = {"links": 30_000, "verified": 10_000}
MANY = {"units": 20, "seconds": 30.0, "longest": 6.0, "first_seconds": 12.0, "wall_seconds": 19.0}


def size(
    name: str, verb: Any, documents: float = 1000.0, shards: int = 4000, nodes: int = 1, cores: int = 2, **step: Any
) -> StepSize:
    """The step of a planned run of which the sample had four units of ten seconds on two cores."""
    plain = {"units": 4, "seconds": 40.0, "longest": 10.0, "first_seconds": 20.0, "wall_seconds": 20.0, "files": 4}
    work = {"name": name, "file_bytes": 4000, "memory": 1 << 30, "cpus": 1.0, "cores": 2, **plain, **step}
    node: Any = SimpleNamespace(verb=verb, stage=SimpleNamespace(dedup=DedupOptions()))
    node.components = (("listed", Listed(sample_bytes=10**8)),)
    sample: Any = SimpleNamespace(dedup=LINKS, asset=LEARNED, total={"rows": 100_000}.__getitem__)
    return sizing._step(StepWork(**work), node, sample, Growth(documents, shards), nodes, cores)


ROWS = (1 << 30) + 11_550_000  # collide: 350,000 rows of 33 bytes, worked on three times over
INDEX = (1 << 30) + 4_800_000  # sort index: 75,000 rows of 64 bytes


@pytest.mark.parametrize(
    ("sized", "units", "gigabytes", "requests"),
    [
        pytest.param(size("read", READ), 4000, 1.07, 16_000, id="shards"),
        pytest.param(size("sort index", READ, memory=INDEX), 32, 1.67, 24_576, id="rows of 19 GB"),
        pytest.param(size("learn", FIT), 1, 1.07, 16_000, id="a fit learns in one task"),
        pytest.param(size("draw", FIT, shards=9000), 4096, 1.07, 36_000, id="portions"),
        pytest.param(size("pack", PACK, 1e6), 8, 1.07, 16_000, id="4 GB of tokens in files of half a GiB"),
        pytest.param(size("pack", PACK, 1.0), 4, 1.07, 16_000, id="at most 1,000 shards each"),
        pytest.param(size("collide", DEDUP, memory=ROWS), 32, 2.52, 25_408, id="46 GB in buckets of 900 MiB"),
        pytest.param(size("collide", DEDUP, 1.0, 10, memory=ROWS), 4, 1.09, 120, id="few rows"),
        pytest.param(size("verify", DEDUP, memory=(1 << 30) + 1000), 64, 1.07, 24_512, id="blocks of documents"),
        pytest.param(size("elect", DEDUP, 10.0), 4, 1.07, 16_000, id="few links"),
        pytest.param(size("elect", DEDUP, 10_000.0), 32, 1.07, 16_000, id="400 million links in 16 million each"),
        pytest.param(size("keys", DEDUP, memory=3 << 30), 4000, 3.22, 16_000, id="what a component asks for"),
    ],
)
def test_units_memory_and_requests(sized: StepSize, units: int, gigabytes: float, requests: int) -> None:
    assert (sized.units, round(sized.memory / 1e9, 2), sized.requests) == (units, gigabytes, requests)


@pytest.mark.parametrize(
    ("units", "seconds", "longest", "slots", "wall"),
    [
        pytest.param(1, 8.0, 8.0, 100, 8.0, id="one unit"),
        pytest.param(100, 200.0, 5.0, 100, 5.0, id="no more units than cores: the longest"),
        pytest.param(100, 200.0, 4.0, 2, 101.0, id="the cores, and half of what is left of the longest"),
        pytest.param(8192, 8192.0, 1.0, 2, 2 * 2048.25, id="two waves"),
        pytest.param(8192, 8192.0, 1.0, 1024, 8 + 1023 / 2048, id="many cores take more in a wave"),
        pytest.param(0, 0.0, 0.0, 2, 0.0, id="none"),
    ],
)
def test_wall_seconds(units: int, seconds: float, longest: float, slots: int, wall: float) -> None:
    assert wall_of(units, seconds, longest, slots) == pytest.approx(wall)


def test_work_grows_with_the_documents_and_the_start_of_processes_does_not() -> None:
    few = size("filter", FILTER, 10.0, 40)
    assert (few.core_seconds, few.file_bytes) == (pytest.approx(400.0), 40_000)
    many = size("filter", FILTER, 10.0, 200, **MANY)  # a second a unit, six with the start of a process
    assert (many.core_seconds, many.longest, bound_of(many)) == (pytest.approx(200.0), pytest.approx(6.0), "")
    assert many.wall_seconds == pytest.approx(200 / 2 + 1.5 + 2.5)  # of the sample's 19 seconds 2.5 were no work
    learned = size("learn", FIT, units=1, seconds=2.0, longest=2.0, wall_seconds=2.0)
    assert learned.core_seconds == learned.wall_seconds == 2.0 * 10**0.61  # from ten times the text, no more
    assert (learned.file_bytes, size("draw", FIT).file_bytes, size("sizes", FIT).file_bytes) == (
        4000,
        40_000,
        4 * 10**6,
    )


def test_what_bounds_a_step() -> None:
    short = {"units": 20, "seconds": 0.2, "longest": 0.01, "first_seconds": 0.02, "wall_seconds": 0.1}
    driver = size("filter", FILTER, 5000.0, 100_000, nodes=100, cores=32, **short)
    assert driver.wall_seconds == pytest.approx(800.0)
    assert driver.waiting_seconds == pytest.approx(800.0 - driver.core_seconds / 3200)
    assert bound_of(driver).startswith("the driver needs ")
    steady = {"units": 20, "seconds": 2000.0, "longest": 100.0, "first_seconds": 200.0, "wall_seconds": 1000.0}
    assert bound_of(size("filter", FILTER, 1000.0, 20_000, nodes=100, cores=40, **steady)) == ""
    assert "one of its 1,000 units takes" in bound_of(size("filter", FILTER, 50.0, nodes=1000, shards=1000, **steady))
    assert "one task does it all and takes" in bound_of(size("learn", FIT, nodes=10, **{**steady, "units": 1}))


def test_a_node_without_the_cores_of_a_task_is_refused() -> None:
    with pytest.raises(InputError, match="filter asks for 4 cores a task, more than the 2 of a node"):
        size("filter", FILTER, cpus=4.0)

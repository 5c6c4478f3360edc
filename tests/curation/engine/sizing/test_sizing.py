"""A finished run says what the same recipe takes on more input and more nodes."""

import re
from math import inf, nan
from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.engine.recipe.recipe import parse
from curation.engine.sizing.sizing import size_run
from curation.engine.sizing.step_size import Nodes
from tests.curation.engine.driver.test_runner import STAGES, curate
from tests.curation.engine.inputs import write_sources


def test_the_whole_run(tmp_path: Path) -> None:
    text = write_sources(tmp_path)
    curate(text, tmp_path / "run")
    recipe = parse(text, "m")
    sample = str(tmp_path / "run")
    same = size_run(recipe, sample, Nodes(1, 1))
    assert [stage.name for stage in same.stages] == STAGES
    assert [stage.documents for stage in same.stages][:4] == [16, 16, 13, 28]
    assert (same.cost, same.nodes, same.cpus) == (None, 1, 1)
    assert same.warnings == ()  # nothing that takes seconds is worth one
    more = size_run(recipe, sample, Nodes(10, 4), times=1000.0, price=2.0)
    assert [stage.documents for stage in more.stages][:4] == [16_000, 16_000, 13_000, 28_000]
    assert more.file_bytes > 100 * same.file_bytes
    assert more.requests > same.requests
    assert more.cost == pytest.approx(more.hours * 10 * 2.0)
    assert more.node_hours == pytest.approx(more.hours * 10)


def test_many_links_need_rounds_that_the_sample_did_not_run(tmp_path: Path) -> None:
    text = write_sources(tmp_path)
    curate(text, tmp_path / "run")
    sized = size_run(parse(text, "m"), str(tmp_path / "run"), Nodes(100, 32), times=1e8)
    assert "the sample had 2 units on 1 cores, fewer than 8 a core" in sized.warnings[0]
    assert any("more than local_links 20,000,000" in warning for warning in sized.warnings)
    assert any(re.search(r"the sample had only 0\.\d\d s of it; take a larger one", one) for one in sized.warnings)


@pytest.mark.parametrize(
    ("nodes", "times"),
    [(Nodes(0, 4), 1.0), (Nodes(1, 0), 1.0), (Nodes(1, 1), 0.0), (Nodes(1, 1), nan), (Nodes(1, 1), inf)],
)
def test_numbers_that_mean_nothing_are_refused(tmp_path: Path, nodes: Nodes, times: float) -> None:
    with pytest.raises(InputError, match="at least one node"):
        size_run(parse(write_sources(tmp_path), "m"), str(tmp_path / "run"), nodes, times=times)

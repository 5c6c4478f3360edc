"""A dry run says what is sealed and what would run, and writes nothing."""

from pathlib import Path

from curation.engine.driver.dry_run import dry_run
from curation.engine.recipe.recipe import parse
from tests.curation.engine.driver.test_runner import curate
from tests.curation.engine.inputs import write_sources


def test_a_dry_run_says_what_is_sealed_and_what_will_run(tmp_path: Path) -> None:
    text = write_sources(tmp_path)
    run = tmp_path / "run"
    first = dry_run(parse(text, "m"), str(run))
    assert [line.status for line in first] == ["will run"] * 5 + ["waits for a fit"] * 3
    assert [line.units for line in first[:4]] == [2, 0, 1, 0]
    assert not run.exists()
    curate(text, run)
    (gopher,) = run.glob("*-news-gopher_quality-*")
    (gopher / "_manifest.json").unlink()
    statuses = {line.node.name: line.status for line in dry_run(parse(text, "m"), str(run))}
    assert statuses["news-gopher_quality"] == "partly done"
    assert {status for name, status in statuses.items() if name != "news-gopher_quality"} == {"sealed"}

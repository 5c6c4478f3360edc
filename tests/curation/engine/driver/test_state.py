"""What is known of a run while it is planned: addresses, folders, and what run.json says."""

from pathlib import Path

from curation.core.manifest import read_run
from curation.engine.driver.state import State
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from tests.curation.engine.inputs import write_sources


def state_of(folder: Path) -> State:
    recipe = parse(write_sources(folder), "m")
    output = folder / "run"
    output.mkdir()
    return State(recipe, str(output), build_plan(recipe))


def test_a_stage_is_found_by_its_address(tmp_path: Path) -> None:
    state = state_of(tmp_path)
    first = state.nodes[0]
    folder = state.locate(first)
    assert folder.endswith(f"01-{first.name}-{state.addresses[0].digest[:8]}")
    assert state.locate(first) == folder


def test_run_json_is_written_once_and_keeps_what_a_takedown_noted(tmp_path: Path) -> None:
    state = state_of(tmp_path)
    run = state.record()
    assert (run.stages, run.complete) == ((), False)
    path = tmp_path / "run" / "run.json"
    path.write_text(path.read_text().replace('"tombstones": []', '"tombstones": ["id"]'))
    written = path.stat().st_mtime_ns
    assert state.record().tombstones == ("id",)
    assert path.stat().st_mtime_ns == written
    assert state.record(complete=True).complete
    assert read_run(str(tmp_path / "run")).tombstones == ("id",)

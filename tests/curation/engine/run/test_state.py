"""What is known of a run while it is planned: addresses, folders, and what run.json says."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.errors import InputError, RecipeError
from curation.core.manifest import read_run
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from curation.engine.run.state import State
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


PARQUET = """
version: 1
sources:
  web:
    - read: {parquet: {paths: ["%s"]%s}}%s
"""


def state_of_parquet(folder: Path, paths: str = "*.parquet", fields: str = "", beside: str = "") -> State:
    recipe = parse(PARQUET % (folder / paths, fields, beside), "m.yaml")
    return State(recipe, str(folder / "run"), build_plan(recipe))


@pytest.fixture
def dictionary(tmp_path: Path) -> Path:
    """The second of three files has two columns of one name."""
    pq.write_table(pa.table({"text": ["x"]}), tmp_path / "a.parquet")
    pq.write_table(pa.table([["x"], ["y"]], names=["text", "text"]), tmp_path / "dict.parquet")
    pq.write_table(pa.table({"text": ["x"]}), tmp_path / "z.parquet")
    return tmp_path


def test_an_input_that_cannot_be_read_is_refused_by_its_name(dictionary: Path) -> None:
    with pytest.raises(InputError, match=r"^\S*/dict.parquet has 2 columns 'text'") as raised:
        state_of_parquet(dictionary).find_inputs()
    assert not isinstance(raised.value, RecipeError), "the recipe does not have its name"
    assert not (dictionary / "run").exists()
    with pytest.raises(RecipeError, match=r"^m.yaml:5: .*/dict.parquet has 2 columns"):
        state_of_parquet(dictionary, "dict.parquet").find_inputs()
    with pytest.raises(RecipeError, match=r"^m.yaml:5: .*/a.parquet has no column 'address'"):
        state_of_parquet(dictionary, "a.parquet", ", url: address").find_inputs()


def test_inputs_that_may_be_passed_over_or_were_read_are_not_looked_at(
    dictionary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state_of_parquet(dictionary, beside="\n      max_failed_inputs: 1").find_inputs()
    monkeypatch.setattr("curation.engine.run.state.read_manifest", lambda folder: "sealed")
    state_of_parquet(dictionary).find_inputs()

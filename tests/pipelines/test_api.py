"""winnow from Python: recipes and training configs as mappings, files and dataclasses."""

import json
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest

from curation.core.errors import InputError, RecipeError, UserError
from pipelines import api
from pipelines.api import Inline, Run, curate, plan, train
from tests.noting import Noting

TEXTS = ["one", "two words", "three words here", "two words"]


def recipe(folder: Path, **quality: Any) -> dict[str, Any]:
    (folder / "texts.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    read = {"read": {"jsonl": {"paths": [f"{folder}/texts.jsonl"]}}}
    quality = {"min_words": 2, "min_stop_words": 0, "max_mean_word_length": float("inf")} | quality
    chain = [read, {"filter": {"gopher_quality": quality}}, {"dedup": {"exact": {}}}]
    return {"version": 1, "name": "mine", "sources": {"web": chain}}


def test_a_mapping_is_curated_and_opened(tmp_path: Path) -> None:
    run = curate(recipe(tmp_path), tmp_path / "run", executor=Inline())
    assert isinstance(run, Run)
    frame = run.stage("dedup").to_pandas(["gopher_quality.words"], where=pc.field("drop_reason").is_null())
    assert frame["gopher_quality.words"].tolist() == [2, 3]
    assert [line.kept for line in run.funnel().stages] == [4, 3, 2]


def test_mapping_file_and_dataclass_are_one_recipe(tmp_path: Path) -> None:
    mapping = recipe(tmp_path)
    folder = curate(mapping, tmp_path / "run", executor=Inline()).folder
    noting = Noting()
    path = tmp_path / "mine.yaml"
    path.write_text(json.dumps(mapping).replace("Infinity", ".inf"))
    progress = []
    for same in (path, str(path), api.read_recipe(mapping)):
        assert curate(same, folder, executor=noting, on_progress=progress.append).folder == folder
        assert {stage.status for stage in plan(same, folder)} == {"sealed"}
    assert {now.step for now in progress} == {"sealed"}
    assert noting.ran == []


def test_inputs_and_the_folder_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mapping = recipe(tmp_path)
    mapping["sources"]["web"][0] = {"read": "jsonl"}
    stages = plan(mapping, inputs=["texts.jsonl"])
    assert [stage.status for stage in stages] == ["will run"] * 3
    assert api.run_folder(api.read_recipe(mapping, ["texts.jsonl"]), None) == "runs/mine"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param(
            {"min_wrods": 2},
            "recipe: sources.web.1.filter.gopher_quality.min_wrods: .*did you mean 'min_words'",
            id="an unknown option",
        ),
        pytest.param(
            {"min_words": "many"},
            "recipe: sources.web.1.filter.gopher_quality.min_words: expected a whole number, got 'many'",
            id="a wrong value",
        ),
        pytest.param(
            {"min_words": object()},
            "recipe: sources.web.1.filter.gopher_quality.min_words: expected a whole number, got '<object",
            id="an object",
        ),
    ],
)
def test_an_error_in_a_mapping_names_its_place(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=f"^{message}"):
        curate(recipe(tmp_path, **changes), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_file_s_error_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("version: 1\nsourcs: {}\n")
    with pytest.raises(RecipeError, match=r"mine.yaml:2: sourcs"):
        api.read_recipe(tmp_path / "mine.yaml")
    with pytest.raises(InputError, match="no recipe named 'mine' is shipped"):
        api.read_recipe("mine")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        pytest.param({"stps": 3}, "stps: unknown option 'stps'; did you mean 'steps'", id="an unknown setting"),
        pytest.param(
            {"model": {"decoder": {"width": "x"}}},
            "model.decoder.width: expected a whole number, got 'x'",
            id="a wrong value",
        ),
        pytest.param("nowhere", "no recipe named 'nowhere' is shipped", id="no such file"),
        pytest.param({"steps": 30}, "/none", id="no data"),
        pytest.param({"sinks": ["wandb"]}, "sinks: wandb must be installed", id="no package of a sink"),
    ],
)
def test_mistakes_in_training(tmp_path: Path, config: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        train(config, "/none/data", tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_a_training_config_from_a_file_names_it(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text("stps: 3\n")
    with pytest.raises(UserError, match=r"small.yaml.*stps"):
        train(tmp_path / "small.yaml", "/none/data", tmp_path / "model")


def test_an_executor_and_the_ray_that_it_stands_in_for(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="pass either `executor`, or `ray_address` and `cpus`, not both"):
        curate(recipe(tmp_path), tmp_path / "run", cpus=2, executor=Inline())

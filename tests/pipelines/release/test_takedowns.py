"""A takedown forbids a release of what learnt the documents, also through weights or beside a copy of the data."""

import json
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from curation.core.errors import InputError
from curation.tokens.shards import TokenData
from pipelines.release.takedowns import origin, refuse_taken_down
from tests.training.runs import TINY
from training.config.parse import parse
from training.start import train

LATER = "2999-01-01T00:00:00+00:00"


@pytest.fixture
def run(finished_run: Path, tmp_path: Path) -> Path:
    return copytree(finished_run / "run", tmp_path / "run")


def trained(run: Path, model: Path, **options: Any) -> Path:
    train(parse({**TINY, "steps": 3, "validation_rows": 4, **options}), str(run), str(model))
    return model


def take_down(run: Path, when: str) -> None:
    """Notes one that changed the token shards, as `winnow takedown` does."""
    record = json.loads((run / "run.json").read_text())
    packs = [stage["folder"] for stage in record["stages"] if stage["verb"] == "pack"]
    record["takedowns"] = [{"when": when, "tombstones": 1, "texts": 0, "finished": True, "stages": packs}]
    (run / "run.json").write_text(json.dumps(record))


def test_takedowns_before_and_after(run: Path, tmp_path: Path) -> None:
    model = trained(run, tmp_path / "model")
    copy = TokenData.open(str(copytree(run, tmp_path / "copy")))
    take_down(run, "2020-01-01T00:00:00+00:00")
    refuse_taken_down(str(model), copy)
    take_down(run, LATER)
    with pytest.raises(InputError, match=f"were taken down at {LATER[:10]}.*, after {model} had begun"):
        refuse_taken_down(str(model), copy)
    assert origin(str(model)) is None


def test_a_branch_knows_what_its_parent_learnt(run: Path, tmp_path: Path) -> None:
    """A takedown between the beginnings of both, and one of the parent's data where they were, forbid its release."""
    base = trained(run, tmp_path / "base", keep_every=2, checkpoint_every=2)
    copy = copytree(run, tmp_path / "copy")
    record = json.loads((base / "config.json").read_text())
    (base / "config.json").write_text(json.dumps({**record, "begun": "2020-01-01T00:00:00+00:00"}))
    model = tmp_path / "model"
    train(parse({**TINY, "steps": 4, "validation_rows": 4}), str(copy), str(model), branch_from=f"{base}@2")
    data = TokenData.open(str(copy))
    refuse_taken_down(str(model), data)
    take_down(copy, "2020-06-01T00:00:00+00:00")
    with pytest.raises(InputError, match=f"were taken down at 2020-06.*, after {model} had begun"):
        refuse_taken_down(str(model), data)
    take_down(copy, "2019-06-01T00:00:00+00:00")
    take_down(run, LATER)
    with pytest.raises(InputError, match=f"after {base} had begun to learn"):
        refuse_taken_down(str(model), data)
    assert origin(str(model)) is None


def test_weights_of_an_earlier_training(run: Path, finished_run: Path, tmp_path: Path) -> None:
    base = trained(run, tmp_path / "base")
    other = finished_run / "run"
    middle = trained(other, tmp_path / "middle", init=str(base))
    model = trained(other, tmp_path / "model", init=str(middle / "checkpoints/step_3"))
    assert origin(str(model)) == {"weights": "middle", "known": True}
    data = TokenData.open(str(other))
    refuse_taken_down(str(model), data)
    take_down(run, LATER)
    with pytest.raises(InputError, match=f"after {base} had begun to learn"):
        refuse_taken_down(str(model), data)
    run.rename(tmp_path / "moved")
    refuse_taken_down(str(model), data)
    assert origin(str(model)) == {"weights": "middle", "known": False}

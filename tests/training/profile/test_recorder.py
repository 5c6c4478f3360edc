"""A profile of some steps: what it writes, that it changes nothing, and which steps a resumed run leaves out."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from tests.training.runs import TINY, counting_run, read_metrics
from training.checkpoint.manifest import MANIFEST
from training.config.parse import parse
from training.profile.parts import PARTS
from training.start import train

SHORT = {**TINY, "steps": 4, "micro_batch_rows": 2, "recompute": "full"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(counting_run(tmp_path_factory.mktemp("run") / "run"))


def weights(output: Path) -> dict[str, Any]:
    return dict(load_file(output / "checkpoints" / "step_4" / "rank-00000.safetensors"))


def test_it_changes_nothing_and_says_where_the_time_goes(run: str, tmp_path: Path) -> None:
    train(parse({**SHORT, "profile": {"from": 2, "steps": 2}}), run, str(tmp_path / "with"))
    train(parse(SHORT), run, str(tmp_path / "without"))
    plain = weights(tmp_path / "without")
    assert all(torch.equal(one, plain[name]) for name, one in weights(tmp_path / "with").items())
    folder = tmp_path / "with" / "profile"
    assert sorted(file.name for file in folder.iterdir()) == [
        "rank-00000.json",
        "rank-00000.trace.json.gz",
        "rank-00000.txt",
    ]
    found = json.loads((folder / "rank-00000.json").read_text())
    assert found["steps"] == [2, 3]
    assert tuple(found["seconds"]) == PARTS
    assert all(found["seconds"][part] > 0 for part in ("attention", "feed-forward", "loss", "optimizer", "rest"))
    trace = json.loads(gzip.decompress((folder / "rank-00000.trace.json.gz").read_bytes()))
    names = [event["name"] for event in trace["traceEvents"]]
    assert names.count("winnow: step") == 2
    assert names.count("winnow: attention") == 2 * 2 * 2 * 2  # steps, micro-batches, layers, and once more backward
    (record,) = [one for one in read_metrics(tmp_path / "with" / "metrics.jsonl") if one["kind"] == "profile"]
    assert (record["step"], record["seconds"]) == (3, found["seconds"])
    assert record["line"].startswith("profile of 2 steps of ")
    assert record["line"].endswith(f"the trace is in {folder}")
    assert not (tmp_path / "without" / "profile").exists()


def test_steps_that_are_done_are_left_out(run: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    train(parse({**SHORT, "checkpoint_every": 2}), run, str(tmp_path))
    (tmp_path / "result.json").unlink()
    (tmp_path / "checkpoints" / "step_4" / MANIFEST).unlink()
    train(parse({**SHORT, "checkpoint_every": 2, "profile": {"from": 2, "steps": 2}}), run, str(tmp_path))
    assert "profile: steps before 3 are done already and are left out" in caplog.text
    assert json.loads((tmp_path / "profile" / "rank-00000.json").read_text())["steps"] == [3]


def test_a_profile_that_cannot_be_written_ends_no_training(run: str, tmp_path: Path) -> None:
    (tmp_path / "profile").write_text("a file where the folder should be")
    train(parse({**SHORT, "profile": {"from": 4, "steps": 1}}), run, str(tmp_path))
    (record,) = [one for one in read_metrics(tmp_path / "metrics.jsonl") if one["kind"] == "profile"]
    assert record["line"].startswith(f"the profile of 1 steps cannot be written to {tmp_path / 'profile'}: ")


@pytest.mark.parametrize("profile", [{"from": 0, "steps": 1}, {"from": 1, "steps": 21}, {"steps": 1}, {"at": 1}])
def test_what_is_no_profile(profile: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"give the first step and 1 to 20 steps, such as \{from: 100"):
        parse({"profile": profile})

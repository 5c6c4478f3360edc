"""A branch: what it continues, what it may change, and that it stands alone once it has a checkpoint."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from curation.account.lineage.trainings import open_training
from curation.core.errors import InputError
from curation.tokens.step_rows import SkippedWindow, read_skipped, write_skipped
from tests.training.runs import TINY, counting_run, read_metrics
from tests.training.test_loop import curve, launch, stop_after
from training.branch import Branch, find_branch
from training.checkpoint.manifest import MANIFEST, complete_steps, folder_of
from training.checkpoint.run_record import read_run_file
from training.config.parse import parse
from training.evaluate.trained import TrainedRun
from training.metrics.curves import read_curves
from training.metrics.records import describe
from training.start import train

KEPT = {**TINY, "keep_every": 3}
LION: dict[str, Any] = {"lion": {}}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(counting_run(tmp_path_factory.mktemp("run") / "run"))


@pytest.fixture(scope="module")
def parent(run: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of 8 steps with checkpoints after 3, 6 and 8."""
    output = tmp_path_factory.mktemp("parent")
    train(parse(KEPT), run, str(output))
    return output


def weights(output: Path, step: int) -> bytes:
    """All that a checkpoint of one process holds."""
    return Path(folder_of(str(output), step), "rank-00000.safetensors").read_bytes()


def test_with_nothing_changed_it_is_the_run_going_on(run: str, parent: Path, tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []
    result = train(parse(KEPT), run, str(tmp_path), branch_from=f"{parent}@3", on_record=seen.append)
    assert curve(tmp_path) == curve(parent)[3:]
    assert weights(tmp_path, 8) == weights(parent, 8)
    assert {**result, "energy": 0} == {**json.loads((parent / "result.json").read_text()), "energy": 0}
    assert describe(seen[0]).startswith(f"branching off {parent} after step 3 on 1 worker; learning rate 0.00")


@pytest.mark.slow
def test_with_two_workers_too(run: str, tmp_path: Path) -> None:
    job = {"data": run, "output": str(tmp_path / "parent"), "train": KEPT}
    assert launch(job, tmp_path, processes=2).returncode == 0
    branch = {**job, "output": str(tmp_path / "branch"), "branch_from": f"{tmp_path}/parent/checkpoints/step_3"}
    done = launch(branch, tmp_path, processes=2)
    assert done.returncode == 0, done.stderr
    assert curve(tmp_path / "branch") == curve(tmp_path / "parent")[3:]
    assert weights(tmp_path / "branch", 8) == weights(tmp_path / "parent", 8)


def test_what_differs_is_recorded_and_followed(run: str, parent: Path, tmp_path: Path) -> None:
    """Steps 0 to 5 read 4 rows of 16 tokens, steps 6 to 9 read 8 rows of 8. The schedule is constant from step 2 on."""
    changed = {
        **KEPT,
        "steps": 10,
        "batch_rows": 8,
        "sequence_length": 8,
        "optimizer": {"adamw": {"learning_rate": 0.002}},
        "schedule": {"constant": {"warmup_steps": 2}},
    }
    result = train(parse(changed), run, str(tmp_path), branch_from=f"{parent}@6")
    record = read_run_file(str(tmp_path))
    known = record["parent"]
    assert (known["run"], known["step"], known["position"]) == (str(parent), 6, 24)
    assert known["segments"] == [{"run": str(parent), "end": 6, "sequence_length": 16}]
    assert known["changes"] == {
        "config.schedule": ["cosine", "constant"],
        "config.schedule.constant.warmup_steps": [None, 2],
        "config.steps": [8, 10],
        "config.batch_rows": [4, 8],
        "config.sequence_length": [16, 8],
        "config.optimizer.adamw.learning_rate": [0.01, 0.002],
    }
    # The cosine's last rate in the parent, of update 6 of 8 with 2 of warm-up: .1 + .9 · (1 + cos(π · 4/6)) / 2.
    assert known["learning_rates"] == [pytest.approx(0.01 * 0.325), 0.002]
    assert record["config"]["batch_stages"] == [{"steps": 6, "rows": 4}]
    assert result["tokens"] == 6 * 4 * 16 + 4 * 8 * 8
    training = open_training(str(tmp_path))
    assert [training.rows.positions(step) for step in (5, 6, 7)] == [range(20, 24), range(24, 32), range(32, 40)]
    assert [training.seen_tokens(step) for step in (5, 6)] == [17, 9]
    assert TrainedRun.of(str(tmp_path)).config.batch_rows == 8
    assert {one["learning_rate"] for one in read_metrics(tmp_path / "metrics.jsonl") if one["kind"] == "step"} == {
        0.002
    }


def test_it_needs_its_parent_until_it_has_a_checkpoint(run: str, parent: Path, tmp_path: Path) -> None:
    own = shutil.copytree(parent, tmp_path / "parent")
    output = tmp_path / "branch"
    source = f"{own}@3"
    with pytest.raises(InterruptedError):
        train(parse(KEPT), run, str(output), on_record=stop_after(5), branch_from=source)
    assert complete_steps(str(output)) == []
    assert open_training(str(output)).done == 5
    with pytest.raises(InterruptedError):  # the same command, and one without --from
        train(parse(KEPT), run, str(output), on_record=stop_after(4), branch_from=source)
    manifest = Path(folder_of(str(own), 3), MANIFEST)
    moved = manifest.rename(tmp_path / "moved")
    with pytest.raises(
        InputError, match=r"the branch has no checkpoint yet, and .*/step_3 cannot be loaded: it is gone"
    ):
        train(parse(KEPT), run, str(output))
    moved.rename(manifest)
    with pytest.raises(InterruptedError):
        train(parse(KEPT), run, str(output), on_record=stop_after(7))
    shutil.rmtree(own)
    train(parse(KEPT), run, str(output), branch_from=source)
    assert curve(output) == curve(parent)[3:]
    assert weights(output, 8) == weights(parent, 8)
    found = read_curves(str(output))
    assert [(point.step, point.run, point.drawn) for point in found.branched] == [(3, str(own), False)]


def test_a_branch_of_a_branch(run: str, parent: Path, tmp_path: Path) -> None:
    train(parse({**KEPT, "steps": 10}), run, str(tmp_path / "one"), branch_from=str(parent))
    train(parse({**KEPT, "steps": 12}), run, str(tmp_path / "two"), branch_from=f"{tmp_path}/one")
    record = read_run_file(str(tmp_path / "two"))
    assert [(part["run"], part["end"]) for part in record["parent"]["segments"]] == [
        (str(parent), 8),
        (str(tmp_path / "one"), 10),
    ]
    assert record["begun"] == read_run_file(str(parent))["begun"], "what the first run learnt, this one knows"
    found = read_curves(str(tmp_path / "two"))
    assert found.curves["loss"].steps == tuple(range(1, 13))
    assert [(point.step, point.drawn) for point in found.branched] == [(8, True), (10, True)]


def test_windows_that_its_parent_leaves_out(run: str, parent: Path, tmp_path: Path) -> None:
    own = shutil.copytree(parent, tmp_path / "parent")
    write_skipped(str(own), [SkippedWindow(5, 20, 4, "junk")])
    with pytest.raises(InputError, match=r"step_6 cannot be loaded: it has seen rows that are left out now"):
        train(parse(KEPT), run, str(tmp_path / "seen"), branch_from=f"{own}@6")
    larger = parse({**KEPT, "batch_rows": 8})
    with pytest.raises(InterruptedError):
        train(larger, run, str(tmp_path / "branch"), branch_from=f"{own}@3", on_record=stop_after(4))
    # Three steps of 4 rows, then 12-19, and 28-35 behind a window that is as long as a step.
    assert read_skipped(str(tmp_path / "branch")) == (SkippedWindow(4, 20, 8, "junk"),)
    rows = open_training(str(tmp_path / "branch")).rows
    assert [rows.positions(step) for step in (2, 3, 4)] == [range(8, 12), range(12, 20), range(28, 36)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(
            {"optimizer": LION}, r"optimizer \(was adamw, now lion\): .*begin a new one with --init", id="kind"
        ),
        pytest.param({"model": {"decoder": {"layers": 2}}}, r"cannot have another config\.model\.", id="shapes"),
        pytest.param({"init": "runs/other"}, "init /.*/runs/other and a branch do not go together", id="init"),
        pytest.param({"steps": 6}, "steps 6 count from the beginning, and the branch begins after 6", id="no steps"),
        pytest.param({"sequence_length": 32}, "sequence_length 32 is longer than the rows", id="longer rows"),
    ],
)
def test_what_makes_no_sense(run: str, parent: Path, tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        train(parse({**KEPT, **change}), run, str(tmp_path / "new"), branch_from=f"{parent}@6")
    assert not (tmp_path / "new" / "config.json").exists()


def test_other_data_and_other_tokens(parent: Path, tmp_path: Path) -> None:
    branch = find_branch(str(tmp_path), f"{parent}@6")
    assert branch is not None
    data = branch.before["data"]
    assert branch.compared(branch.settings, data, ())["changes"] == {}
    assert branch.compared(branch.settings, data, ("<mask>",))["changes"] == {}, "ids behind the others"
    with pytest.raises(ValueError, match=r"cannot have another data .*goes on in the data of its parent"):
        branch.compared(branch.settings, "other", ())
    masked = replace(branch, before={**branch.before, "appended": ["<mask>"]})
    with pytest.raises(ValueError, match="has added the tokens <mask>, and that of the branch adds none"):
        masked.compared(branch.settings, data, ())
    older = Branch(branch.parent, {**branch.before, "versions": {**branch.before["versions"], "adamw": 0, "cosine": 0}})
    with pytest.raises(ValueError, match=r"versions\.adamw \(was 0"):
        older.compared(branch.settings, data, ())


@pytest.mark.parametrize(
    ("source", "message"),
    [
        pytest.param("@5", r"no complete checkpoint of step 5, only of 3, 6, 8; keep_every", id="no such step"),
        pytest.param("/checkpoints/step_4", "no complete checkpoint of step 4", id="no such folder"),
        pytest.param("/nothing", "is neither a training nor one of its checkpoints", id="no run"),
    ],
)
def test_what_cannot_be_branched_off(parent: Path, tmp_path: Path, source: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        find_branch(str(tmp_path), f"{parent}{source}")


def test_an_output_that_holds_another_run(run: str, parent: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds a run that is not a branch; resume it without --from, or give another"):
        find_branch(str(parent), str(parent))
    output = str(tmp_path / "branch")
    with pytest.raises(InterruptedError):
        train(parse(KEPT), run, output, branch_from=f"{parent}@3", on_record=stop_after(4))
    for same in (None, str(parent), f"{parent}@3", f"{parent}/checkpoints/step_3/"):
        found = find_branch(output, same)
        assert found is not None
        assert found.parent["step"] == 3
    with pytest.raises(InputError, match=f"holds a branch of {parent}@3; resume it without --from"):
        find_branch(output, f"{parent}@6")


def test_in_a_store(run: str) -> None:
    home = f"memory://{uuid4().hex}"
    train(parse({**KEPT, "steps": 3}), run, f"{home}/first")
    train(parse(KEPT), run, f"{home}/second/", branch_from=f"{home}/first@3")
    (own,) = read_run_file(f"{home}/second")["parent"]["segments"]
    assert (own["run"], own["end"]) == (f"{home}/first", 3)
    found = read_curves(f"{home}/second")
    assert found.curves["loss"].steps == tuple(range(1, 9))
    assert [point.drawn for point in found.branched] == [True]
    with pytest.raises(InputError, match="no complete checkpoint of step 2, only of 3; keep_every"):
        find_branch(f"{home}/third", f"{home}/first/checkpoints/step_2/")

"""Trainings of two workers: whatever is killed, the losses are those of the undisturbed run, step by step, or a second
training says who runs. docs/faults.md has the table.
"""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import ray

from curation.core import storage
from pipelines.ending import descendants
from tests.faults.trainings import MOMENTS, SETTINGS, SLOW, once, seconds
from tests.runs import COMMAND, ENVIRONMENT, hear_sigint
from tests.training.runs import TINY, counting_documents, read_metrics, write_run
from training import job
from training.__main__ import main
from training.checkpoint import save
from training.checkpoint.manifest import complete_steps
from training.checkpoint.retention import prune
from training.config.parse import parse
from training.start import train

Property = Callable[[str, object], None]
ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 240.0  # seconds
QUICK = {**TINY, "checkpoint_every": 2}  # 8 steps
pytestmark = [pytest.mark.timeout(600), pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Rows for a bit more than 40 steps of 4."""
    folder = tmp_path_factory.mktemp("run") / "run"
    return str(write_run(folder, counting_documents(320), validation=counting_documents(7, seed=1)))


@pytest.fixture(scope="module")
def whole(run: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of a training that nothing disturbed."""
    return undisturbed(run, tmp_path_factory.mktemp("whole") / "model", SETTINGS)


@pytest.fixture(scope="module")
def whole_tiny(run: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return undisturbed(run, tmp_path_factory.mktemp("whole_tiny") / "model", QUICK)


def undisturbed(run: str, output: Path, settings: dict[str, Any]) -> Path:
    with torchrun("training", config(run, output, settings)) as process:
        errors = process.communicate(timeout=PATIENCE)[1]
        assert process.returncode == 0, errors
    return output


def config(run: str, output: Path, settings: dict[str, Any]) -> Path:
    file = output.with_suffix(".json")
    file.write_text(json.dumps({"data": run, "output": str(output), "train": settings}))
    return file


def torchrun(module: str, *arguments: str | Path, restarts: int = 0) -> "subprocess.Popen[str]":
    group = ["--standalone", "--nproc-per-node", "2", "--max-restarts", str(restarts)]
    command = [sys.executable, "-m", "torch.distributed.run", *group, "-m", module, *map(str, arguments)]
    environment = ENVIRONMENT | {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}  # see training.__main__
    return subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)


def records(output: Path) -> list[dict[str, Any]]:
    return read_metrics(output / "metrics.jsonl") if (output / "metrics.jsonl").exists() else []


def curve(output: Path) -> list[tuple[int, float, float]]:
    """(step, loss, gradient norm) of every step, and of every validation (step, loss, its ratio to the entropy)."""
    steps = [(r["step"], r["loss"], r["gradient_norm"]) for r in records(output) if r["kind"] == "step"]
    return steps + [(r["step"], r["loss"], r["ratio"]) for r in records(output) if r["kind"] == "validation"]


def assert_same(output: Path, whole: Path) -> None:
    result = json.loads((whole / "result.json").read_text())
    assert {**json.loads((output / "result.json").read_text()), "energy": result["energy"]} == result
    steps = [record["step"] for record in records(output) if record["kind"] == "step"]
    assert steps == list(range(1, result["steps"] + 1))
    assert curve(output) == curve(whole)
    kept = {path.name for path in (whole / "checkpoints").glob("step_*")}
    assert {path.name for path in (output / "checkpoints").glob("step_*")} == kept
    assert {f"step_{step}" for step in complete_steps(str(output))} == kept


def resumes(output: Path) -> list[int]:
    return [record["step"] for record in records(output) if record["kind"] == "resume"]


def wait_for_step(output: Path, step: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while not any(record["step"] >= step for record in records(output)):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def worker_processes() -> list[int]:
    """Ids of the training workers that descend from this process."""
    return sorted(pid for pid in descendants(os.getpid()) if b"RayTrainWorker" in command_line(pid))


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # ended meanwhile
        return b""


@pytest.mark.slow
def test_a_worker_is_killed(run: str, whole: Path, tmp_path: Path, record_property: Property) -> None:
    output = tmp_path / "model"
    killed = list[int]()
    kinds: list[str] = []

    def kill() -> None:
        killed.append(worker_processes()[0])
        os.kill(killed[0], signal.SIGKILL)

    seen = once(kill, output)
    result = job.train(
        parse(SETTINGS), run, str(output), workers=2, on_progress=lambda r: (kinds.append(r["kind"]), seen(r))
    )
    assert len(killed) == kinds.count("resume") == 1
    assert kinds[-1] == "result"
    assert resumes(output)[0] >= 5
    assert_same(output, whole)
    lost = "the steps since the last checkpoint, which are done again"
    record_property("fault", f"a training worker killed | all workers start again | {lost} | {seconds(output)}")

    again: list[str] = []
    assert job.train(parse(SETTINGS), run, str(output), on_progress=lambda r: again.append(r["kind"])) == result
    assert again == ["result"]


@pytest.mark.soak
def test_the_driver_is_killed_and_the_command_given_again(
    run: str, whole: Path, tmp_path: Path, record_property: Property
) -> None:
    output = tmp_path / "model"
    recipe = tmp_path / "train.yaml"
    recipe.write_text(json.dumps(SETTINGS))
    command = [*COMMAND, "train", str(recipe), "--data", run, "--output", str(output), "--workers", "2", "--json"]
    first = subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for_step(output, 7)
    left = {pid: command_line(pid) for pid in descendants(first.pid)}
    first.kill()
    first.wait()
    before = (output / "metrics.jsonl").stat().st_ino
    killed = time.monotonic()
    with subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.DEVNULL) as second:
        while (output / "metrics.jsonl").stat().st_ino == before or records(output)[-1]["kind"] == "resume":
            assert time.monotonic() < killed + PATIENCE
            assert second.poll() is None
            time.sleep(0.05)
        took = round(time.monotonic() - killed, 1)
        assert second.wait(PATIENCE) == 0
    assert resumes(output)[0] >= 5
    assert_same(output, whole)
    while left := {pid: line for pid, line in left.items() if line and command_line(pid) == line}:
        assert time.monotonic() < killed + 2 * PATIENCE, left
        time.sleep(0.5)
    lost = "the steps since the last checkpoint, which are done again"
    record_property("fault", f"a training's driver killed | the same command resumes | {lost} | {took}")


@pytest.mark.soak
def test_the_driver_is_asked_to_end(run: str, tmp_path: Path, record_property: Property) -> None:
    """By Slurm, Kubernetes or a spot machine."""
    output = tmp_path / "model"
    recipe = tmp_path / "train.yaml"
    recipe.write_text(json.dumps({**SETTINGS, "checkpoint_every": 1000}))
    command = [*COMMAND, "train", str(recipe), "--data", run, "--output", str(output), "--workers", "2", "--json"]
    with subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.DEVNULL) as process:
        wait_for_step(output, 7)
        asked = time.monotonic()
        process.terminate()
        assert process.wait(PATIENCE) == 128 + signal.SIGTERM
        took = round(time.monotonic() - asked, 1)
    assert took <= 30
    (step,) = complete_steps(str(output))
    assert step == max(record["step"] for record in records(output))
    lost = "nothing: a checkpoint is written first"
    record_property("fault", f"SIGTERM to a training | it ends with code 143 | {lost} | {took}")


@pytest.mark.slow
@pytest.mark.parametrize("twice", [False, pytest.param(True, marks=pytest.mark.soak)])
def test_ctrl_c(run: str, whole: Path, tmp_path: Path, record_property: Property, twice: bool) -> None:
    """At a terminal, which sends it to all processes. The line that the command leaves goes on."""
    output = tmp_path / "model"
    recipe = tmp_path / "train.yaml"
    recipe.write_text(json.dumps({**SETTINGS, "checkpoint_every": 1000}))
    command = [*COMMAND, "train", str(recipe), "--data", run, "--output", str(output), "--workers", "2"]
    with subprocess.Popen(
        command, cwd=ROOT, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=hear_sigint,
    ) as process:  # fmt: skip
        wait_for_step(output, 7)
        left = {pid: command_line(pid) for pid in descendants(process.pid)}
        asked = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        if twice:
            time.sleep(0.4)
            os.killpg(process.pid, signal.SIGINT)
        errors = process.communicate(timeout=PATIENCE)[1]
        took = round(time.monotonic() - asked, 1)
    assert process.returncode == 130
    assert "stopping after this step, with a checkpoint; Ctrl-C again ends at once, without a checkpoint" in errors
    last = errors.splitlines()[-1]
    assert last == f"stopped; what is finished stays. Continue with: {shlex.join(command)}"
    assert not [pid for pid, line in left.items() if line and command_line(pid) == line]
    steps = complete_steps(str(output))
    assert steps == ([] if twice else [max(record["step"] for record in records(output))])
    if not twice:
        assert f"stopped after step {steps[0]}, with a checkpoint" in errors
        record_property("fault", f"Ctrl-C in `winnow train` | it ends with code 130 | nothing | {took}")
    again = shlex.split(last.partition("Continue with: ")[2])
    subprocess.run(again, cwd=ROOT, env=ENVIRONMENT, check=True, capture_output=True, timeout=PATIENCE)
    assert resumes(output) == steps
    assert curve(output) == curve(whole)


@pytest.mark.soak
def test_two_processes_without_ray_are_asked_to_end(run: str, whole_tiny: Path, tmp_path: Path) -> None:
    output = tmp_path / "model"
    file = config(run, output, {**QUICK, "checkpoint_every": 1000})
    with torchrun("tests.faults.trainings", file, "wait") as process:
        wait_for_step(output, 1)
        (one, *_) = [pid for pid in descendants(process.pid) if b"tests.faults.trainings" in command_line(pid)]
        os.kill(one, signal.SIGTERM)
        output.with_name("go").touch()
        errors = process.communicate(timeout=PATIENCE)[1]
    assert "stopped after step" in errors
    (step,) = complete_steps(str(output))
    with torchrun("training", config(run, output, QUICK)) as process:
        errors = process.communicate(timeout=PATIENCE)[1]
        assert process.returncode == 0, errors
    assert resumes(output) == [step]
    assert curve(output) == curve(whole_tiny)


@pytest.mark.soak
def test_a_process_stands_still(run: str, whole_tiny: Path, tmp_path: Path, record_property: Property) -> None:
    output = tmp_path / "model"
    file = config(run, output, {**QUICK, "hang_seconds": 10})
    with torchrun("tests.faults.trainings", file, "hang", restarts=1) as process:
        errors = process.communicate(timeout=PATIENCE)[1]
        assert process.returncode == 0, errors
    assert "in seen" in (output / "stacks" / "rank-00000.txt").read_text()
    assert "in all_steps" in (output / "stacks" / "rank-00001.txt").read_text()
    assert resumes(output) == [4]
    assert_same(output, whole_tiny)
    lost = "the steps since the last checkpoint, which are done again"
    happens = "after hang_seconds (10 here) all write their stacks and start again"
    record_property("fault", f"a process stands still | {happens} | {lost} | {seconds(output)}")


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Rows for more than 120 steps of 4, and the output of one process over them."""
    folder = tmp_path_factory.mktemp("slow")
    run = str(write_run(folder / "run", counting_documents(1600), validation=counting_documents(7, seed=1)))
    train(parse(SLOW), run, str(folder / "whole"))
    return run, folder / "whole"


def on_nodes(how: str, slow: tuple[str, Path], output: Path) -> list[dict[str, Any]]:
    """The records of a training on nodes of which one is lost; its losses are those of one process."""
    run, whole = slow
    command = [sys.executable, "-m", "tests.faults.trainings", run, str(output), how]
    environment = ENVIRONMENT | {"RAY_AUTH_MODE": "disabled"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stderr
    losses = {record["step"]: record["loss"] for record in records(output) if record["kind"] == "step"}
    expected = {record["step"]: record["loss"] for record in records(whole) if record["kind"] == "step"}
    assert losses == pytest.approx(expected, rel=1e-6)
    return records(output)


def shards(found: list[dict[str, Any]]) -> list[int]:
    return [record["layout"]["shard"] for record in found if record["kind"] in ("start", "resume")]


@pytest.mark.soak
def test_a_training_goes_on_with_fewer_workers_and_then_with_more(
    slow: tuple[str, Path], tmp_path: Path, record_property: Property
) -> None:
    """Four workers, two while only three have room, and four again once another node is there."""
    output = tmp_path / "model"
    assert shards(on_nodes("elastic", slow, output)) == [4, 2, 4]
    lost = "the steps since the last checkpoint, which are done again, both times"
    happens = "the largest number of workers that the layout accepts goes on; more when another node comes"
    record_property("fault", f"a node killed, `--least-workers` | {happens} | {lost} | {seconds(output)}")


@pytest.mark.soak
def test_a_node_is_drained(slow: tuple[str, Path], tmp_path: Path, record_property: Property) -> None:
    output = tmp_path / "model"
    found = on_nodes("drained", slow, output)
    assert set(shards(found)) == {2}
    steps = [record["step"] for record in found if record["kind"] == "checkpoint"]
    assert [step for step in steps if step % SLOW["checkpoint_every"]]
    lost = "the steps since the last checkpoint, which are done again"
    record_property(
        "fault", f"Ray says that a node will be taken away | a checkpoint at once | {lost} | {seconds(output)}"
    )


@pytest.mark.soak
def test_a_node_is_killed(run: str, whole: Path, tmp_path: Path, record_property: Property) -> None:
    output = tmp_path / "model"
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.trainings", run, str(output)],
        cwd=ROOT,
        env=ENVIRONMENT | {"RAY_AUTH_MODE": "disabled"},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(resumes(output)) == 1
    assert_same(output, whole)
    lost = "the steps since the last checkpoint, which are done again"
    record_property("fault", f"a training's node killed, another comes | all start again | {lost} | {seconds(output)}")


@pytest.mark.soak
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_process_is_killed_during_a_checkpoint(
    run: str, whole_tiny: Path, tmp_path: Path, moment: str, record_property: Property
) -> None:
    """torchrun starts the others again."""
    output = tmp_path / "model"
    with torchrun("tests.faults.trainings", config(run, output, QUICK), moment, restarts=1) as process:
        errors = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == 0, errors
    is_whole = moment in ("complete", "pruning")
    assert resumes(output) == [6 if is_whole else 4]
    assert_same(output, whole_tiny)
    lost = (
        "the steps since it, which are done again"
        if is_whole
        else "that checkpoint; the steps since the one before are done again"
    )
    what = {
        "folder": "before its files",
        "files": "in the middle of its files",
        "manifest": "before its manifest",
        "complete": "after its manifest",
        "pruning": "while old ones go",
    }
    record_property("fault", f"killed in a checkpoint {what[moment]} | all start again | {lost} | {seconds(output)}")


@pytest.mark.soak
@pytest.mark.parametrize("moment", [*(f"0-{changes}" for changes in range(12)), "1-0", "1-1"])
def test_a_process_is_killed_between_two_changes_of_files(
    run: str, whole_tiny: Path, tmp_path: Path, moment: str
) -> None:
    """From the begin of a checkpoint on, for each change that a process makes; the last ones are of the next one."""
    output = tmp_path / "model"
    with torchrun("tests.faults.trainings", config(run, output, QUICK), moment, restarts=1) as process:
        errors = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == 0, errors
    assert resumes(output) in ([4], [6])
    assert_same(output, whole_tiny)


def test_a_process_is_killed_after_a_checkpoint_in_a_store(
    run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record_property: Property
) -> None:
    """Where metrics.jsonl is written every few seconds only."""
    output = f"memory://{uuid4().hex}/model"

    def die(folder: str, keep: int, newest: int, every: int | None) -> None:
        prune(folder, keep, newest, every)
        if complete_steps(folder)[-1] == 6:
            raise InterruptedError

    monkeypatch.setattr(save, "prune", die)
    with pytest.raises(InterruptedError):
        train(parse(QUICK), run, output)
    monkeypatch.undo()
    train(parse(QUICK), run, output)
    written = [json.loads(line) for line in storage.read_bytes(f"{output}/metrics.jsonl").splitlines()]
    assert [record["step"] for record in written if record["kind"] == "resume"] == [6]
    train(parse(QUICK), run, str(tmp_path / "whole"))
    losses = [(r["kind"], r["step"], r["loss"]) for r in written if "loss" in r]
    assert losses == [(r["kind"], r["step"], r["loss"]) for r in records(tmp_path / "whole") if "loss" in r]
    record_property("fault", "killed after a checkpoint in a store | it resumes there | nothing | -")


@pytest.fixture
def first(run: str, tmp_path: Path) -> "Iterator[tuple[subprocess.Popen[str], Path]]":
    """A training that waits in the middle of its steps, and its settings."""
    file = config(run, tmp_path / "model", QUICK)
    with torchrun("tests.faults.trainings", file, "wait") as process:
        try:
            wait_for_step(tmp_path / "model", 1)
            yield process, file
        finally:
            process.terminate()


@pytest.mark.soak
def test_a_second_training_in_the_folder(
    run: str, whole_tiny: Path, first: "tuple[subprocess.Popen[str], Path]", record_property: Property
) -> None:
    process, file = first
    output = file.with_suffix("")
    message = f"another winnow is running in {output}: process [0-9]+ of .+ on .+, since 20.+; wait for it, or give"
    began = time.monotonic()
    with pytest.raises(ValueError, match=message) as refused:
        job.train(parse(QUICK), run, str(output), workers=2)
    took = round(time.monotonic() - began, 1)
    assert not ray.is_initialized()
    with pytest.raises(SystemExit, match=f"error: {message}"):
        main([str(file)])
    pid = re.search("process ([0-9]+)", str(refused.value))
    assert pid
    assert int(pid[1]) in descendants(process.pid)
    output.with_name("go").touch()
    assert process.wait(PATIENCE) == 0, process.communicate()
    assert_same(output, whole_tiny)
    happens = "the second ends at once and names the first"
    record_property("fault", f"two trainings in one folder | {happens} | nothing | {took}")

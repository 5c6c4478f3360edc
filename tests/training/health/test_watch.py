"""What is wrong with a machine is in the records and in a line; a broken GPU ends the training, without its node."""

import logging
import platform
from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import InputError
from tests.training.runs import TINY, counting_run, read_metrics
from training.config.parse import parse
from training.ending import StoppedError
from training.health import watch
from training.health.gpu import GpuState
from training.health.speed import SpeedProbe
from training.parallel.mesh import RefusedError
from training.start import train


def after(states: list[GpuState]) -> Any:
    """A GPU that has these states at its first looks."""

    class Pretended:
        def __init__(self, _: object) -> None:
            self.left = iter(states)

        def state(self) -> GpuState:
            return next(self.left, GpuState())

    return Pretended


def test_a_broken_gpu_ends_the_training_with_a_checkpoint_and_its_node_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    run = str(counting_run(tmp_path / "run"))
    output = tmp_path / "model"
    monkeypatch.setattr(watch, "GpuWatch", after([GpuState(), GpuState("XID 79, it has fallen off the bus")]))
    monkeypatch.setattr(watch, "WAITS", 1.0)  # a busy machine waits for data, which is not asked here
    with caplog.at_level(logging.WARNING), pytest.raises(StoppedError, match="stopped after step 4, with a checkpoint"):
        train(parse(TINY), run, str(output))
    host = platform.node()
    line = f"the GPU of process 0 on {host} is broken: XID 79, it has fallen off the bus; its node is left out"
    assert caplog.messages.count(line) == 1
    problems = {
        record["step"]: record.get("problems")
        for record in read_metrics(output / "metrics.jsonl")
        if record["kind"] == "step"
    }
    assert problems[2] == [line]
    assert problems[1] is None
    with pytest.raises(RefusedError, match=f"{host} is left out of this training: the GPU of process 0 is broken: XID"):
        train(parse(TINY), run, str(output))
    (output / "bad_nodes" / f"{host}.json").unlink()
    assert train(parse(TINY), run, str(output))["steps"] == 8


def test_a_gpu_that_breaks_the_process_is_found_at_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = str(counting_run(tmp_path / "run"))
    monkeypatch.setattr(watch, "GpuWatch", after([GpuState(), GpuState(), GpuState("XID 48, an error in memory")]))

    def fail(record: dict[str, Any]) -> None:
        if (record["kind"], record["step"]) == ("step", 2):
            raise RuntimeError("CUDA error: uncorrectable ECC error encountered")

    with pytest.raises(RuntimeError, match="CUDA error"):
        train(parse(TINY), run, str(tmp_path / "model"), on_record=fail)
    with pytest.raises(InputError, match=r"is left out of this training: .* XID 48, an error in memory"):
        train(parse(TINY), run, str(tmp_path / "model"))


def test_a_clock_held_back_and_waiting_for_data_are_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(watch, "GpuWatch", after([GpuState(slowed="heat")] * 8))
    monkeypatch.setattr(watch, "WAITS", -1.0)
    with caplog.at_level(logging.WARNING):
        train(parse(TINY), str(counting_run(tmp_path / "run")), str(tmp_path / "model"))
    assert sum("is held back by heat" in line for line in caplog.messages) == 1
    assert sum("waits for data" in line for line in caplog.messages) == 1


def test_a_record_says_who_is_slowest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SpeedProbe, "seconds", lambda self: 0.25)
    train(parse(TINY), str(counting_run(tmp_path / "run")), str(tmp_path / "model"))
    probes = [
        record["probe"] for record in read_metrics(tmp_path / "model" / "metrics.jsonl") if record["kind"] == "step"
    ]
    assert probes == [{"median": 0.25, "most": 0.25, "rank": 0}] * 8

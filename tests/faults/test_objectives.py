"""Every objective through Ray Train with two workers, from the demo's shards: one worker is killed once, and the losses
are those of a training that nobody disturbed.
"""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.faults.test_training import curve, resumes, worker_processes
from tests.faults.trainings import once
from tests.training.objectives.test_learning import OBJECTIVES, learner
from training import job
from training.config.run import TrainConfig

DEMO = Path(__file__).resolve().parents[2] / "runs" / "demo"
pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(600),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.skipif(not (DEMO / "run.json").exists(), reason="runs/demo is absent: run `make curate` first"),
]


def configured(key: str) -> TrainConfig:
    every = {"checkpoint_every": 5, "validate_every": 12, "log_every": 1}
    return learner(key, steps=24, batch_rows=4, validation_rows=8, **every)


@pytest.mark.parametrize("key", OBJECTIVES)
def test_a_worker_is_killed(key: str, tmp_path: Path) -> None:
    whole, output = tmp_path / "whole", tmp_path / "model"
    job.train(configured(key), str(DEMO), str(whole), workers=2)
    killed = list[int]()

    def kill() -> None:
        killed.append(worker_processes()[0])
        os.kill(killed[0], signal.SIGKILL)

    job.train(configured(key), str(DEMO), str(output), workers=2, on_progress=once(kill, output))
    assert len(killed) == 1
    (resumed,) = resumes(output)
    assert resumed >= 5
    assert curve(output) == curve(whole)
    results = [json.loads((folder / "result.json").read_text()) for folder in (output, whole)]
    assert {**results[0], "energy": ""} == {**results[1], "energy": ""}

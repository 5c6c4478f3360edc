"""A training that is killed twenty times and each time goes on with another number of processes and another layout."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from curation.tokens.shards import TokenData
from pipelines.ending import descendants
from tests.faults.test_training import PATIENCE, ROOT, config, records
from tests.runs import ENVIRONMENT
from tests.training.runs import TINY, counting_documents, write_run
from training.checkpoint.manifest import complete_steps

KILLS = 20
STEPS = 60
SETTINGS = {
    **TINY,
    "model": {"decoder": {"layers": 4, "width": 32, "heads": 4, "kv_heads": 2, "tied_embeddings": False}},
    "optimizer": {"adamw": {"learning_rate": 3e-4}},  # more magnifies what layouts round in other places
    "steps": STEPS,
    "batch_rows": 4,
    "micro_batch_rows": 1,
    "checkpoint_every": 2,
    "validate_every": STEPS,
    "log_every": 1,
}
LAYOUTS: list[tuple[int, dict[str, Any]]] = [
    (1, {}),
    (2, {}),
    (2, {"zero": 1}),
    (2, {"tensor": 2}),
    (2, {"context": 2}),
    (2, {"pipeline": 2}),
    (2, {"pipeline": 2, "schedule": "zbv"}),
    (4, {"replicate": 2}),
    (4, {"tensor": 2, "context": 2}),
]
pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]


def start(run: str, output: Path, workers: int, parallel: dict[str, Any]) -> "subprocess.Popen[bytes]":
    file = config(run, output, {**SETTINGS, "parallel": parallel})
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(workers)]
    command += ["-m", "training", str(file)]
    with output.with_suffix(".log").open("ab") as log:
        return subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT, stdout=log, stderr=log)


def kill(process: "subprocess.Popen[bytes]") -> None:
    for pid in (*descendants(process.pid), process.pid):
        os.kill(pid, signal.SIGKILL)
    process.wait(PATIENCE)


def losses(output: Path) -> list[float]:
    steps = [record for record in records(output) if record["kind"] == "step"]
    assert [record["step"] for record in steps] == list(range(1, STEPS + 1))
    return [record["loss"] for record in steps]


def test_losses_are_those_of_an_undisturbed_run(tmp_path: Path) -> None:
    run = str(write_run(tmp_path / "run", counting_documents(320), validation=counting_documents(7, seed=1)))
    whole = tmp_path / "whole"
    assert start(run, whole, 1, {}).wait(PATIENCE) == 0
    output = tmp_path / "model"
    rng = random.Random(0)
    for number in range(KILLS):
        workers, parallel = LAYOUTS[number % len(LAYOUTS)]
        process = start(run, output, workers, parallel)
        begun = max(complete_steps(str(output)), default=0)
        deadline = time.monotonic() + PATIENCE
        # Two steps more at least, and then at any moment.
        while max((one["step"] for one in records(output)), default=0) < min(begun + 2 + number % 2, STEPS - 2):
            assert process.poll() is None, output.with_suffix(".log").read_text()[-3000:]
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(rng.random() / 10)
        if process.poll() is None:
            kill(process)
    assert start(run, output, 2, {}).wait(PATIENCE) == 0, output.with_suffix(".log").read_text()[-3000:]
    assert losses(output) == pytest.approx(losses(whole), abs=1e-6)
    data = TokenData.open(run)
    seen = [place for step in range(STEPS) for place in data.locate(step, batch_rows=4)]
    assert len(seen) == len(set(seen)) == 4 * STEPS
    assert json.loads((output / "result.json").read_text())["steps"] == STEPS

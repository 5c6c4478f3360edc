"""An optimizer of an installed package trains by its key, as if it were winnow's own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runs import COMMAND
from tests.training.runs import TINY, counting_run, read_metrics
from training.checkpoint.manifest import read_manifest

PROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "polyak"
version = "0.3"

[project.entry-points."winnow.components"]
heavy_ball = "polyak.heavy_ball:HeavyBall"

[tool.setuptools]
packages = ["polyak"]
"""
OPTIMIZER = '''"""Gradient descent with momentum."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from training.config.components import Optimizer


@dataclass(frozen=True, kw_only=True)
class HeavyBall(Optimizer):
    learning_rate: Annotated[float, "the peak"] = 0.1
    momentum: Annotated[float, "share of an update that the next one repeats"] = 0.9

    version: ClassVar[int] = 4

    def build(self, model):
        from torch.optim import SGD

        from training.optim.groups import groups

        return SGD(groups(model, 0.0), lr=self.learning_rate, momentum=self.momentum)
'''


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder into which pip has installed the package."""
    source = tmp_path / "source"
    target = tmp_path / "packages"
    (source / "polyak").mkdir(parents=True)
    (source / "pyproject.toml").write_text(PROJECT)
    (source / "polyak" / "__init__.py").write_text("")
    (source / "polyak" / "heavy_ball.py").write_text(OPTIMIZER)
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--target", str(target), str(source)], check=True, capture_output=True)
    return target


@pytest.mark.slow
def test_an_installed_optimizer_is_used_by_its_key(tmp_path: Path, packages: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(packages), str(Path.cwd())])}

    def winnow(*arguments: str | Path, code: int = 0) -> str:
        command = [*COMMAND, *map(str, arguments)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    run = counting_run(tmp_path / "run")
    output = tmp_path / "model"
    config = tmp_path / "train.yaml"
    arguments = ("train", config, "--data", run, "--workers", "1", "--output", output)
    config.write_text(json.dumps({**TINY, "optimizer": {"heavy_bal": {}}}))
    assert "optimizer.heavy_bal: no optimizer named 'heavy_bal'; did you mean 'heavy_ball'?" in winnow(
        *arguments, code=2
    )
    config.write_text(json.dumps({**TINY, "optimizer": {"heavy_ball": {"momentum": 0.5}}}))
    winnow(*arguments)
    record = json.loads((output / "config.json").read_text())
    assert record["config"]["optimizer"]["heavy_ball"]["momentum"] == 0.5
    assert record["versions"]["heavy_ball"] == 4
    steps = [line for line in read_metrics(output / "metrics.jsonl") if line["kind"] == "step"]
    assert steps[-1]["loss"] < steps[0]["loss"]
    assert "optimizer.norm.weight.momentum_buffer" in read_manifest(str(output / "checkpoints" / "step_8")).tensors
    listed = winnow("list")
    assert "heavy_ball" in listed
    assert "polyak 0.3" in listed
    assert "share of an update that the next one repeats" in winnow("describe", "heavy_ball")

"""What a kill or a lost power supply leaves of a checkpoint and of metrics.jsonl: the next run has the losses of an
undisturbed one, bit for bit. A checkpoint is a file of each process and, at last, its manifest.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.training.runs import TINY, counting_run, read_metrics
from training.checkpoint.manifest import MANIFEST, complete_steps
from training.config.parse import parse
from training.start import train

QUICK = parse({**TINY, "checkpoint_every": 2})  # 8 steps
TENSORS = "rank-00000.safetensors"
Damage = Callable[[Path], object]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(counting_run(tmp_path_factory.mktemp("run") / "run"))


@pytest.fixture(scope="module")
def whole(run: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("whole")
    train(QUICK, run, str(output))
    return output


@pytest.fixture(scope="module")
def stopped(run: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ended after step 7, with checkpoints of steps 4 and 6."""

    def stop(record: dict[str, Any]) -> None:
        if (record["kind"], record["step"]) == ("step", 7):
            raise InterruptedError

    output = tmp_path_factory.mktemp("stopped") / "model"
    with pytest.raises(InterruptedError):
        train(QUICK, run, str(output), on_record=stop)
    assert complete_steps(str(output)) == [4, 6]
    return output


def figures(output: Path) -> list[tuple[str, int, float]]:
    """The loss of every step and validation; fails where a line was cut off."""
    records = read_metrics(output / "metrics.jsonl")
    return [(r["kind"], r["step"], r["loss"]) for r in records if r["kind"] in ("step", "validation")]


def emptied(*names: str) -> Damage:
    return lambda folder: [os.truncate(folder / name, 0) for name in names]


def halved(*names: str) -> Damage:
    return lambda folder: [os.truncate(folder / name, (folder / name).stat().st_size // 2) for name in names]


def lost(*names: str) -> Damage:
    return lambda folder: [(folder / name).unlink() for name in names]


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lost(MANIFEST, TENSORS), id="killed before its files"),
        pytest.param(lambda folder: (lost(MANIFEST)(folder), halved(TENSORS)(folder)), id="killed in a file"),
        pytest.param(lost(MANIFEST), id="killed before its manifest"),
        pytest.param(lost(TENSORS), id="a file is gone"),
        pytest.param(emptied(TENSORS), id="power lost, a file is empty"),
        pytest.param(halved(TENSORS), id="power lost, half of a file"),
        pytest.param(emptied(MANIFEST), id="power lost, the manifest is empty"),
        pytest.param(halved(MANIFEST), id="power lost, half of the manifest"),
        pytest.param(emptied(MANIFEST, TENSORS), id="power lost, all is empty"),
        pytest.param(shutil.rmtree, id="power lost, the folder is gone"),
    ],
)
def test_the_newest_checkpoint_is_cut_short(
    run: str, whole: Path, stopped: Path, tmp_path: Path, damage: Damage
) -> None:
    output = tmp_path / "model"
    shutil.copytree(stopped, output)
    damage(output / "checkpoints" / "step_6")
    resumed: list[int] = []
    train(QUICK, run, str(output), on_record=lambda r: resumed.append(r["step"]) if r["kind"] == "resume" else None)
    assert resumed == [4]
    assert figures(output) == figures(whole)
    assert complete_steps(str(output)) == complete_steps(str(whole))


@pytest.mark.parametrize("left", [(TENSORS,), (MANIFEST,), ()], ids=["its manifest is gone", "its file is gone", "all"])
def test_the_deletion_of_an_old_checkpoint_is_cut_short(
    run: str, whole: Path, stopped: Path, tmp_path: Path, left: tuple[str, ...]
) -> None:
    output = tmp_path / "model"
    shutil.copytree(stopped, output)
    lost(*{MANIFEST, TENSORS}.difference(left))(output / "checkpoints" / "step_4")
    train(QUICK, run, str(output))
    assert figures(output) == figures(whole)
    assert {path.name for path in (output / "checkpoints").iterdir()} == {"step_6", "step_8"}


@pytest.mark.parametrize("cut", [1, 40], ids=["the end of its last line", "the middle of its last line"])
def test_metrics_are_cut_short(run: str, whole: Path, stopped: Path, tmp_path: Path, cut: int) -> None:
    output = tmp_path / "model"
    shutil.copytree(stopped, output)
    metrics = output / "metrics.jsonl"
    os.truncate(metrics, metrics.stat().st_size - cut)
    train(QUICK, run, str(output))
    assert figures(output) == figures(whole)

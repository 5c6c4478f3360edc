"""The mean of three checkpoints, by hand; it is judged, and begun with, like any other."""

import json
from pathlib import Path

import pytest
import torch

from curation.core.errors import InputError
from curation.tokens.step_rows import SkippedWindow, read_skipped, write_skipped
from tests.training.evaluate.trained_runs import CHECKPOINTS, trained
from training.config.parse import parse
from training.evaluate.average import average
from training.evaluate.trained import TrainedRun
from training.start import train


def test_the_mean_of_the_last_ones(tmp_path: Path) -> None:
    run = TrainedRun.of(str(trained(tmp_path)))
    output = str(tmp_path / "mean")
    assert average(run, 2, output) == f"{output}/checkpoints/step_8"
    mean = TrainedRun.of(output)
    assert (mean.steps, mean.config) == ((8,), run.config)
    first, second, found = (dict(one.named_parameters()) for one in (run.load(6), run.load(8), mean.load(8)))
    for name, weight in found.items():
        torch.testing.assert_close(weight, (first[name] + second[name]) / 2, rtol=0, atol=1e-6)
    record = json.loads((tmp_path / "mean/config.json").read_text())
    assert record["averaged"] == {"run": str(tmp_path / "model"), "steps": [6, 8]}
    average(run, 3, str(tmp_path / "three"))
    earlier = dict(run.load(3).named_parameters())
    for name, weight in TrainedRun.of(str(tmp_path / "three")).load(8).named_parameters():
        torch.testing.assert_close(weight, (earlier[name] + first[name] + second[name]) / 3, rtol=0, atol=1e-6)
    begun = {**CHECKPOINTS, "init": output, "steps": 3}
    assert train(parse(begun), run.data, str(tmp_path / "begun"))["steps"] == 3
    with pytest.raises(InputError, match="holds a training already"):
        average(run, 2, output)
    for last in (1, 4):
        with pytest.raises(InputError, match=r"has 3 complete checkpoints, and a mean of \d is asked for"):
            average(run, last, str(tmp_path / "none"))


def test_windows_that_were_left_out_stay_left_out(tmp_path: Path) -> None:
    model = trained(tmp_path)
    windows = (SkippedWindow(4, 16, 4, "the loss jumped"),)
    write_skipped(str(model), windows)
    average(TrainedRun.of(str(model)), 2, str(tmp_path / "mean"))
    assert read_skipped(str(tmp_path / "mean")) == windows

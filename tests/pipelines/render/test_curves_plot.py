"""Plots of curves: the same bytes each time, a name and a line for every run, and runs that lack something."""

import re
from pathlib import Path

import pytest

from pipelines.render.curves_plot import draw
from training.metrics.curves import CURVES, Curve, TrainingCurves

STEPS = tuple(range(1, 101))


def training(run: str, *, validated: bool = True, resumed: tuple[int, ...] = ()) -> TrainingCurves:
    curve = Curve(STEPS, tuple(10 / step for step in STEPS))
    validation = Curve((50, 100), (0.3, 0.2)) if validated else Curve((), ())
    return TrainingCurves(run, {**dict.fromkeys(CURVES, curve), "validation_loss": validation}, resumed)


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_the_same_figures_give_the_same_file(tmp_path: Path, suffix: str) -> None:
    files = [tmp_path / f"{name}{suffix}" for name in "ab"]
    for file in files:
        draw(str(file), [training("runs/a", resumed=(20,)), training("runs/b", validated=False)])
    assert files[0].read_bytes() == files[1].read_bytes()
    assert files[0].stat().st_size > 10_000


def test_every_run_has_its_lines(tmp_path: Path) -> None:
    lines = []
    for several in ([training("a")], [training("a"), training("b")], [training("a"), training("b", resumed=(7,))]):
        draw(str(tmp_path / "own.svg"), several)
        drawn = (tmp_path / "own.svg").read_text()
        assert set(re.findall(r'id="(axes_\d+)"', drawn)) == {"axes_1", "axes_2", "axes_3", "axes_4"}
        lines.append(drawn.count("clip-path"))
    # Two lines a run in each of four panels, and the points of validation; a resume is one line in each panel.
    assert (lines[1] - lines[0], lines[2] - lines[1]) == (9, 4)


def test_a_run_of_one_record(tmp_path: Path) -> None:
    one = TrainingCurves("a", {**dict.fromkeys(CURVES, Curve((1,), (2.0,))), "validation_loss": Curve((), ())}, ())
    draw(str(tmp_path / "own.png"), [one])
    assert (tmp_path / "own.png").stat().st_size > 10_000

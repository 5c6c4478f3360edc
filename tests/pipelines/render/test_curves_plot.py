"""Plots of curves: the same bytes each time, a name and a line for every run, and runs that lack something."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from pipelines.render.curves_plot import draw
from training.metrics.curves import CURVES, BranchPoint, Curve, TrainingCurves

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


def test_a_branch_is_drawn_beneath_its_parent(tmp_path: Path) -> None:
    """Up to the branch point both lines are the same, and the parent's colour is to be seen."""
    branch = replace(training("b", validated=False), branched=(BranchPoint(50, "a", drawn=True),))
    draw(str(tmp_path / "own.svg"), [training("a", validated=False), branch])
    colours = re.findall(r"clip-path[^>]*style=\"[^\"]*stroke: (#1f77b4|#ff7f0e)", (tmp_path / "own.svg").read_text())
    assert [*dict.fromkeys(colours)] == ["#ff7f0e", "#1f77b4"]  # later lines lie above earlier ones


def test_the_axis_of_a_short_run_names_whole_steps(tmp_path: Path) -> None:
    """matplotlib's own choice for 1 to 20 is 2.5, 5, 7.5, which rounding would show as 2, 5, 8."""
    curve = Curve(STEPS[:20], (1.0,) * 20)
    draw(str(tmp_path / "own.svg"), [TrainingCurves("a", dict.fromkeys(CURVES, curve), ())])
    _, axis, _ = re.split(r'id="matplotlib.axis_[12]"', (tmp_path / "own.svg").read_text(), maxsplit=2)
    labels = [int(label) for label in re.findall(r"<!-- (\d+) -->", axis)]
    assert len({after - before for before, after in pairwise(labels)}) == 1

"""Plots of comparisons: panels by kind and the same bytes each time."""

import re
from pathlib import Path

import pytest

from pipelines.render.compare_plot import draw
from tests.pipelines.comparison_examples import example


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_the_same_figures_give_the_same_file(tmp_path: Path, suffix: str) -> None:
    files = [tmp_path / f"{name}{suffix}" for name in "ab"]
    for file in files:
        draw(str(file), example())
    assert files[0].read_bytes() == files[1].read_bytes()
    assert files[0].stat().st_size > 10_000


def test_there_is_a_panel_for_the_mean_and_each_kind(tmp_path: Path) -> None:
    sizes = []
    for kinds in (("books",), ("books", "speeches")):
        draw(str(tmp_path / "own.svg"), example(kinds))
        sizes.append(len(set(re.findall(r'id="(axes_\d+)"', (tmp_path / "own.svg").read_text()))))
    assert sizes == [1, 3]

"""Rows of steps where a branch goes on with other numbers of rows."""

import pytest

from curation.tokens.step_rows import SkippedWindow, StepRows

Stages = tuple[tuple[int, int], ...]


@pytest.mark.parametrize(
    ("before", "step", "later", "stages"),
    [
        pytest.param(StepRows(4), 6, StepRows(8), ((6, 4),), id="a larger batch"),
        pytest.param(StepRows(4), 6, StepRows(4), (), id="the same"),
        pytest.param(StepRows(4, ((9, 2),)), 6, StepRows(4, ((9, 2),)), ((9, 2),), id="within a stage"),
        pytest.param(StepRows(4, ((2, 1),)), 6, StepRows(4), ((2, 1), (4, 4))[:1], id="a stage that is over"),
        pytest.param(StepRows(4), 6, StepRows(8, ((9, 6),)), ((6, 4), (3, 6)), id="a new stage"),
    ],
)
def test_a_branch(before: StepRows, step: int, later: StepRows, stages: Stages) -> None:
    joined = before.until(step, later)
    assert (joined.rows, joined.stages) == (later.rows, stages)
    read = [position for number in range(step + 5) for position in joined.positions(number)]
    assert read == list(range(len(read))), "nothing is repeated or left out"
    assert joined.read_before(step) == before.read_before(step)


def test_windows_begin_and_end_with_steps_of_the_branch() -> None:
    windows = (SkippedWindow(1, 4, 4, "a"), SkippedWindow(4, 20, 8, "b"))
    assert StepRows(4).widened(windows) == windows
    # Steps read 0-3, 8-11, 12-15, then six rows each: 16-21, 22-27, 28-33, …
    branch = StepRows(6, ((3, 4),))
    assert branch.widened(windows) == (windows[0], SkippedWindow(3, 16, 12, "b"))
    rows = StepRows(6, branch.stages, ((4, 4), (16, 12)))
    assert [rows.positions(step) for step in (0, 1, 2, 3)] == [range(4), range(8, 12), range(12, 16), range(28, 34)]


def test_a_window_that_another_one_covers_is_left_out() -> None:
    windows = (SkippedWindow(0, 1, 2, "a"), SkippedWindow(1, 4, 1, "b"))
    assert StepRows(6).widened(windows) == (SkippedWindow(0, 0, 6, "a"),)

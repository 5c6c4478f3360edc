"""Rows and tokens of the steps of a branch, which has other numbers of rows than the runs before it."""

import pytest

from curation.tokens.step_rows import RunSegment, SkippedWindow, StepRows, segment_of, segments_before, tokens_read

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


FIRST: RunSegment = {"run": "a", "end": 3, "sequence_length": 16}
SECOND: RunSegment = {"run": "b", "end": 5, "sequence_length": 8}


def test_the_run_that_made_a_step() -> None:
    assert [segment_of(step, [FIRST, SECOND]) for step in (0, 2, 3, 4, 5)] == [FIRST, FIRST, SECOND, SECOND, None]


def test_segments_of_a_branch_of_a_branch() -> None:
    assert segments_before(5, [FIRST], {**SECOND, "end": 9}) == [FIRST, SECOND]
    assert segments_before(3, [FIRST], SECOND) == [FIRST]
    assert segments_before(2, [FIRST], SECOND) == [{**FIRST, "end": 2}]


def test_tokens() -> None:
    """Three steps of 4 rows of 16 tokens, two of 4 rows of 8, then 2 rows of 32."""
    rows = StepRows(2, ((5, 4),))
    found = [tokens_read(step, rows, [FIRST, SECOND], 32) for step in (0, 2, 3, 4, 5, 7)]
    assert found == [0, 128, 192, 224, 256, 384]
    assert tokens_read(3, StepRows(4), [], 16) == 192

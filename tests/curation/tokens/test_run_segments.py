"""Segments of a branch: which run made a step, and how many tokens its steps read."""

from curation.tokens.run_segments import RunSegment, segment_of, segments_before, tokens_read
from curation.tokens.step_rows import StepRows

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

"""The segments of a training that is a branch of another one: which run made its earlier steps, with rows of what
length.

Steps count from the beginning of the first run. A branch's config.json has its segments, so that they are known when
the earlier runs are gone; how many rows a step read says its `batch_stages`, which are those of all steps.
"""

from collections.abc import Sequence
from typing import TypedDict

from curation.core.shapes import Count, Positive
from curation.tokens.step_rows import StepRows


class RunSegment(TypedDict):
    """The steps before `end`, from the end of the segment before, that the training in folder `run` made."""

    run: str
    end: Count
    sequence_length: Positive  # tokens of a row besides its first


def segment_of(step: int, segments: Sequence[RunSegment]) -> RunSegment | None:
    """The segment with a step, from 0; None for the branch's own steps."""
    return next((segment for segment in segments if step < segment["end"]), None)


def segments_before(step: int, segments: Sequence[RunSegment], own: RunSegment) -> list[RunSegment]:
    """The segments of what a training with `segments`, and its `own` steps behind them, did before a step."""
    found: list[RunSegment] = []
    for segment in (*segments, own):
        begin = found[-1]["end"] if found else 0
        if begin < step:
            end = min(segment["end"], step)
            found.append({"run": segment["run"], "end": end, "sequence_length": segment["sequence_length"]})
    return found


def tokens_read(step: int, rows: StepRows, segments: Sequence[RunSegment], sequence_length: int) -> int:
    """Tokens that the steps before `step` read, padding included; `sequence_length`: of the steps behind the
    segments."""
    pieces = [(min(segment["end"], step), segment["sequence_length"]) for segment in segments]
    total = begin = 0
    for end, length in (*pieces, (step, sequence_length)):
        total += (rows.read_before(end) - rows.read_before(begin)) * length
        begin = end
    return total

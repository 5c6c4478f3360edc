"""Which positions of a mix the steps of a training read: the trainer, `trace`, `why` and takedowns all ask here.

A training may leave out windows of the mix, where its loss jumped: skipped.json in its folder has them, and no step
reads their rows from then on. The first steps of a branch are those of other trainings: its config.json has a segment
for each, and in `batch_stages` the rows of all steps.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple, TypedDict

from curation.core import storage
from curation.core.json_files import find_shape
from curation.core.shapes import Count, Positive

SKIPPED = "skipped.json"
REMEDY = "restore it from a copy, or begin the training again in a new folder"


class SkippedWindow(NamedTuple):
    """`rows` positions of the mix from `position` on, which step number `step`, from 0, and those after it would have
    read."""

    step: Count
    position: Count
    rows: Count
    reason: str


class RunSegment(TypedDict):
    """The steps before `end`, from the end of the segment before, that the training in folder `run` made."""

    run: str
    end: Count
    sequence_length: Positive  # tokens of a row besides its first


def read_skipped(training: str) -> tuple[SkippedWindow, ...]:
    """Of a training's folder, in the order of their positions."""
    return find_shape(storage.join(training, SKIPPED), tuple[SkippedWindow, ...], REMEDY) or ()


def write_skipped(training: str, windows: Sequence[SkippedWindow]) -> None:
    """Whole or not at all."""
    content = json.dumps([window._asdict() for window in windows], indent=2)
    storage.replace_bytes(storage.join(training, SKIPPED), content.encode() + b"\n")


def windows_before(step: int, windows: Sequence[SkippedWindow]) -> list[list[int]]:
    """Position and rows of those that a state after so many steps is without."""
    return [[window.position, window.rows] for window in windows if window.step < step]


@dataclass(frozen=True)
class StepRows:
    """The steps read one position after the other, `rows` each, after the `stages` at the beginning, (steps, rows of
    each of them). `skipped` are windows (position, rows) that no step reads, ascending; each begins where a step would
    have begun, so the rows of a step lie together."""

    rows: int
    stages: tuple[tuple[int, int], ...] = ()
    skipped: tuple[tuple[int, int], ...] = ()

    def read_before(self, step: int) -> int:
        """How many rows the steps before it read."""
        read = 0
        for steps, rows in self.stages:
            read += min(step, steps) * rows
            step = max(step - steps, 0)
        return read + step * self.rows

    def until(self, step: int, later: "StepRows") -> "StepRows":
        """Rows that these steps read before `step`, and those of `later` from it on; without windows."""
        last = max(step, sum(steps for steps, _ in later.stages))
        pieces = [*self.between(0, step), *later.between(step, last)]
        stages = [(sum(steps for steps, _ in same), rows) for rows, same in groupby(pieces, lambda piece: piece[1])]
        if stages and stages[-1][1] == later.rows:
            stages.pop()
        return StepRows(later.rows, tuple(stages))

    def between(self, first: int, last: int) -> list[tuple[int, int]]:
        """(steps, rows of each of them) from step `first` to before `last`."""
        pieces = []
        begin = 0
        for steps, rows in (*self.stages, (last, self.rows)):
            inside = min(begin + steps, last) - max(begin, first)
            pieces += [(inside, rows)] if inside > 0 else []
            begin += steps
        return pieces

    def widened(self, windows: Sequence[SkippedWindow]) -> tuple[SkippedWindow, ...]:
        """Windows of a run whose steps had other numbers of rows, as ones that begin and end where a step of these
        does: they leave out as few more rows as that takes."""
        rows = replace(self, skipped=())
        kept: list[SkippedWindow] = []
        for window in windows:
            step = end = rows.step_of(window.position)
            begin = rows.positions(step).start
            while rows.positions(end).start < window.position + window.rows:
                end += 1
            if end > step:
                kept.append(SkippedWindow(step, begin, rows.positions(end).start - begin, window.reason))
                rows = replace(rows, skipped=tuple((one.position, one.rows) for one in kept))
        return tuple(kept)

    def positions(self, step: int) -> range:
        """Of a step, from 0."""
        position = self.read_before(step)
        rows = self.read_before(step + 1) - position
        for start, length in self.skipped:
            if start <= position:
                position += length
        return range(position, position + rows)

    def skips(self, position: int) -> bool:
        """Whether no step reads it."""
        return any(start <= position < start + length for start, length in self.skipped)

    def step_of(self, position: int) -> int:
        """The step that reads a position, or the first one after it where no step does."""
        position -= sum(min(length, position - start) for start, length in self.skipped if start < position)
        done = 0
        for steps, rows in self.stages:
            if position < steps * rows:
                return done + position // rows
            position -= steps * rows
            done += steps
        return done + position // self.rows

    def steps(self, positions: int) -> int:
        """How many whole steps so many positions are."""
        return self.step_of(positions)


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

"""Tells what stands between two pieces of a line: a tab between cells of a table, else a space or nothing.

A justified line has wide spaces too, and TeX widens those after a sentence most, so a wide gap alone says little. It is
one of a table if the lines around leave the same strip free, or if it is wider than any space.
"""

import numpy as np

from curation.extract.pdf.page_characters import LEFT, RIGHT, TOP, TOUCHING, Boxes, Flags, Ints
from curation.extract.pdf.page_runs import SPACE, WIDE
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel

JOINED, SPACED, TAB = range(3)
FAR = 3.0  # heights of a line: wider than a space
FAR_AFTER_A_STOP = 5.0
FREE = 0.6  # heights of a line by which a strip is free in several lines
ALIKE = 0.5  # of a gap: if the line's narrowest space is as wide, the line is justified
FEW = 3  # spaces of a line that say how wide they are
LINES = 3  # with the same strip, of them the line itself
LINES_ALIKE = 4  # of a line whose spaces are all as wide
WIDE_FOR_TWO = 1.5  # heights of a line of a gap that two lines have
PASSED = 2  # lines that end before the strip or begin behind it
APART = 3.0  # heights of a line between two that are not of one table


def gap_kinds(
    boxes: Boxes,
    sizes: Boxes,
    numbers: Ints,
    starts: Ints,
    merged: Boxes,
    height: Boxes,
    column: Ints,
    stops: Flags,
    labels: Flags,
) -> tuple[Ints, Flags]:
    """int64[R]: what stands before each run, and bool[L]: whether a line is the row of a table. `stops` bool[R] are
    the runs that end with a punctuation mark, `labels` bool[L] the lines that begin with a mark or number."""
    kinds = np.zeros(len(boxes), np.int64)
    rows = np.zeros(len(starts), np.bool_)
    _fill(boxes, sizes, numbers, starts, merged, height, column, stops, labels, kinds, rows)
    return kinds, rows


@kernel
def _fill(
    boxes: Grid[Boxes],
    sizes: Grid[Boxes],
    numbers: Ints,
    starts: Ints,
    merged: Grid[Boxes],
    height: Boxes,
    column: Ints,
    stops: Flags,
    labels: Flags,
    kinds: Out[Ints],
    rows: Out[Flags],
) -> None:
    for line in range(len(starts)):
        last = starts[line + 1] if line + 1 < len(starts) else len(boxes)
        narrowest = _narrowest(boxes, sizes, starts[line], last)
        edge = boxes[starts[line], RIGHT]
        for run in range(starts[line] + 1, last):
            gap = boxes[run, LEFT] - edge
            kinds[run] = _kind(
                gap,
                edge,
                boxes[run, LEFT],
                line,
                narrowest,
                stops[run - 1],
                boxes,
                starts,
                merged,
                height,
                column,
            )
            if run == starts[line] + 1 and labels[line]:
                kinds[run] = min(kinds[run], SPACED)
            rows[line] |= kinds[run] == TAB
            edge = max(edge, boxes[run, RIGHT])


@kernel
def _narrowest(boxes: Grid[Boxes], sizes: Grid[Boxes], first: Int, last: Int) -> float:
    """Width of a line's narrowest space or gap, 0 if it has too few to tell."""
    found = np.inf
    spaces = 0
    for run in range(first, last):
        if sizes[run, SPACE]:
            found = min(found, sizes[run, SPACE])
            spaces += 1
        if run > first and boxes[run, LEFT] > boxes[run - 1, RIGHT]:
            found = min(found, boxes[run, LEFT] - boxes[run - 1, RIGHT])
            spaces += 1
    return found if spaces >= FEW else 0.0


@kernel
def _first_behind(boxes: Grid[Boxes], first: Int, stop: Int, left: float) -> Int:
    """The first of a line's runs, which go from left to right, that begins behind `left`; `stop` if there is none."""
    while first < stop:
        middle = (first + stop) // 2
        if boxes[middle, LEFT] > left:
            stop = middle
        else:
            first = middle + 1
    return stop


@kernel
def _kind(
    gap: float,
    left: float,
    right: float,
    line: Int,
    narrowest: float,
    stop: bool,
    boxes: Grid[Boxes],
    starts: Ints,
    merged: Grid[Boxes],
    height: Boxes,
    column: Ints,
) -> Int:
    high = height[line]
    if gap <= WIDE * high:
        return JOINED if gap < TOUCHING * high else SPACED
    if gap > (FAR_AFTER_A_STOP if stop else FAR) * high:
        return TAB
    alike = narrowest >= ALIKE * gap
    needed = LINES_ALIKE if alike else 2 if gap > WIDE_FOR_TWO * high else LINES
    found = 1
    for step in (-1, 1):
        other = line + step
        passed = 0
        while found < needed and passed <= PASSED and 0 <= other < len(starts) and column[other] == column[line]:
            if abs(merged[other, TOP] - merged[other - step, TOP]) > APART * high:
                break
            if merged[other, RIGHT] <= left + 0.1 * high or merged[other, LEFT] >= right - 0.1 * high:
                passed += 1
                other += step
                continue
            stop_at = starts[other + 1] if other + 1 < len(starts) else len(boxes)
            run = int(_first_behind(boxes, int(starts[other]) + 1, int(stop_at), left + FREE * high))
            if run == stop_at:
                break
            left = max(boxes[run - 1, RIGHT], left)
            right = min(boxes[run, LEFT], right)
            if right - left <= FREE * high:
                break
            found += 1
            other += step
    return TAB if found >= needed else SPACED

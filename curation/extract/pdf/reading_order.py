"""The order in which the runs of a page are read: columns from left to right, and in each line after line.

A gutter is a strip between two columns: free over at least `LINES` lines that have text on both of its sides, where the
text fills most of what it has on either. What crosses a gutter, as a title or a wide figure does, divides both columns
into what is read before and behind it. Tables are so narrow in most of their columns that they are read by lines.

Source: after Nagy, Seth and Viswanathan 1992, "A prototype document image analysis system for technical journals"
(recursive cuts of a page along its gaps).
"""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from curation.extract.pdf.page_characters import BOTTOM, LEFT, RIGHT, TOP, Boxes, Ints
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel

LINES = 5
FULL = 0.65  # of a column's width that its lines fill on average
# Of two columns of like widths that go on for long, and whose lines are of one piece or two, as a table's are not.
HALF_FULL = 0.5
SPARSE = 0.35  # of one with formulas, beside one that is full
FULL_BESIDE_SPARSE = 0.75
LASTING = 4  # times as many rows as others need
ALIKE = 0.7  # of the wider's width
PIECES = 2.5  # in a line of a column
HEADING = 1.25  # of a line's height
NARROWEST = 0.2  # column, of the width of the text on both sides
NARROWEST_GUTTER = 0.7  # heights of a line
BETWEEN = 1.0  # heights of a line between two parts of a page
SPACE = 3.0  # heights of a line, free between two parts with the same columns
MOST_BANDS = 64
MOST_CUTS = 3  # each within what those before left
ACROSS = 256  # cells in which free space is sought
DOWN = 512  # at most; two to the height of a line
MOST_ROWS = 8  # of cells that a run fills

Cells: TypeAlias = npt.NDArray[np.bool_]


def columns(boxes: Boxes) -> Iterator[Ints]:
    """Rows of `boxes` in groups, of which each is a column or a part of one, in order."""
    if len(boxes):
        yield from _cut(boxes, np.arange(len(boxes)), float(np.median(boxes[:, TOP] - boxes[:, BOTTOM])), MOST_CUTS)


def _cut(boxes: Boxes, members: Ints, height: float, cuts: int) -> Iterator[Ints]:
    """`height` is that of a line."""
    own = boxes[members]
    gutter = _gutter(own, height) if cuts and len(own) >= 2 * LINES else -1.0
    if gutter < 0:
        bands = _bands(boxes, members, height) if cuts and len(own) >= 2 * LINES else [members]
        if len(bands) == 1:
            yield members
            return
        for band in bands:
            yield from _cut(boxes, band, height, cuts)
        return
    gutter += own[:, LEFT].min()
    crosses = (own[:, LEFT] < gutter) & (own[:, RIGHT] > gutter)
    down = -(own[:, BOTTOM] + own[:, TOP]) / 2
    crosses |= _goes_on(own, crosses, down, height)
    # With a run that crosses goes what is in line with it: three authors beside each other stand above two columns.
    heads = np.concatenate([[-np.inf], np.sort(np.concatenate([down[crosses], _spaces(own, height)])), [np.inf]])
    behind = np.searchsorted(heads, down)
    above = down - heads[behind - 1]
    below = heads[behind] - down
    crosses |= np.minimum(above, below) < height / 2
    behind -= crosses & (above < below)
    side = np.where(crosses, 2, own[:, LEFT] >= gutter)
    order = np.lexsort((side, behind))
    for group in np.split(members[order], np.flatnonzero(np.diff(side[order])) + 1):
        yield from _cut(boxes, group, height, cuts - 1)


def _spaces(own: Boxes, height: float) -> npt.NDArray[np.float64]:
    """Middles, downwards, of free space over the whole width that is too high to be one between paragraphs."""
    order = np.argsort(-own[:, TOP], kind="stable")
    bottom = np.minimum.accumulate(own[order, BOTTOM])[:-1]
    top = own[order, TOP][1:]
    found: npt.NDArray[np.float64] = -(bottom + top)[bottom - top > SPACE * height] / 2
    return found


def _bands(boxes: Boxes, members: Ints, height: float) -> list[Ints]:
    """Parts of a page above one another with free space between, where one of them has a gutter: others stay whole."""
    order = members[np.argsort(-boxes[members, TOP], kind="stable")]
    free = np.minimum.accumulate(boxes[order, BOTTOM])[:-1] - boxes[order, TOP][1:] > BETWEEN * height
    bands = np.split(order, np.flatnonzero(free) + 1)
    if len(bands) == 1 or len(bands) > MOST_BANDS:
        return [members]
    divided = [len(band) >= 2 * LINES and _gutter(boxes[band], height) >= 0 for band in bands]
    found: list[Ints] = []
    for number, band in enumerate(bands):
        if number and not divided[number] and not divided[number - 1]:
            band = np.concatenate([found.pop(), band])
        found.append(band)
    return found


def _goes_on(own: Boxes, crosses: Cells, down: Boxes, height: float) -> Cells:
    """Runs in large letters right below one of the same size that crosses the gutter: the last line of a title."""
    high = own[:, TOP] - own[:, BOTTOM]
    found = np.zeros(len(own), np.bool_)
    large = np.flatnonzero((high > HEADING * height) & ~crosses)
    heads = np.flatnonzero((high > HEADING * height) & crosses)
    for run in large[:DOWN]:
        near = (down[run] - down[heads] > 0) & (down[run] - down[heads] < 2 * high[run])
        found[run] = np.any(near & (np.abs(high[heads] - high[run]) < high[run] / 20))
    return found


def lines(boxes: Boxes, members: Ints) -> tuple[Ints, Ints]:
    """A column's runs in order, and the number of each one's line."""
    order = members[np.argsort(-(boxes[members, BOTTOM] + boxes[members, TOP]), kind="stable")]
    number = np.empty(len(order), np.int64)
    _number(boxes[order], number)
    across = np.lexsort((boxes[order, LEFT], number))
    return order[across], number[across]


@kernel
def _number(boxes: Grid[Boxes], number: Out[Ints]) -> None:
    """Number lines, where boxes go downwards by their middles: one of which neither the middle nor that of the line's
    tallest lies within the other begins a line."""
    line = -1
    tallest = 0
    for run in range(len(boxes)):
        middle = (boxes[run, BOTTOM] + boxes[run, TOP]) / 2
        other = (boxes[tallest, BOTTOM] + boxes[tallest, TOP]) / 2
        if line < 0 or (middle < boxes[tallest, BOTTOM] and other > boxes[run, TOP]):
            line += 1
            tallest = run
        elif boxes[run, TOP] - boxes[run, BOTTOM] > boxes[tallest, TOP] - boxes[tallest, BOTTOM]:
            tallest = run
        number[run] = line


@kernel
def _gutter(boxes: Grid[Boxes], height: float) -> float:
    """Where the best gutter is, from the leftmost box on; -1 if there is none. `height` is that of a line."""
    left = np.inf
    right = -np.inf
    bottom = np.inf
    top = -np.inf
    for run in range(len(boxes)):
        left = min(left, boxes[run, LEFT])
        right = max(right, boxes[run, RIGHT])
        bottom = min(bottom, boxes[run, BOTTOM])
        top = max(top, boxes[run, TOP])
    if not (height > 0 and right - left > 4 * height):
        return -1.0
    wide = (right - left) / ACROSS
    high = max(height / 2, (top - bottom) / DOWN)
    filled = np.zeros((min(int((top - bottom) / high), DOWN) + 1, ACROSS), np.bool_)
    for run in range(len(boxes)):
        first = int((top - boxes[run, TOP]) / high)
        last = min(int((top - boxes[run, BOTTOM]) / high), first + MOST_ROWS, len(filled) - 1)
        for row in range(first, last + 1):
            for cell in range(int((boxes[run, LEFT] - left) / wide), int((boxes[run, RIGHT] - left) / wide) + 1):
                filled[row, min(cell, ACROSS - 1)] = True
    start, stop = _freest(filled, max(int(np.ceil(NARROWEST_GUTTER * height / wide)), 1))
    rows = LINES * height * 1.2 / high / 2  # half of what so many lines take with the space between them
    gutter = (start + stop) / 2 * wide
    before = 0
    behind = 0
    for run in range(len(boxes)):
        before += boxes[run, RIGHT] - left < gutter
        behind += boxes[run, LEFT] - left > gutter
    return gutter if stop and _divides(filled, start, stop, rows, max(before, behind)) else -1.0


@kernel
def _freest(filled: Grid[Cells], least: Int) -> tuple[Int, Int]:
    """The strip of `least` cells or more that is free in most rows with text on both of its sides."""
    free = np.zeros(ACROSS, np.int64)
    for row in range(len(filled)):
        first = 0
        last = ACROSS - 1
        while first < last and not filled[row, first]:
            first += 1
        while last > first and not filled[row, last]:
            last -= 1
        for cell in range(first, last):
            free[cell] += not filled[row, cell]
    most = 0
    start = 0
    stop = 0
    for cell in range(ACROSS - least):
        votes = free[cell]
        for other in range(cell + 1, cell + least):
            votes = min(votes, free[other])
        if votes > most:
            most = votes
            start = cell
            stop = cell
        if most and votes == most and cell <= max(stop - least, start) + 1:
            stop = cell + least
    return start, stop


@kernel
def _divides(filled: Grid[Cells], start: Int, stop: Int, rows: float, pieces: Int) -> np.bool_:
    """Whether the strip is free over enough rows, and its sides are wide and full there. `pieces` are the runs on the
    side that has most."""
    count = 0
    before = 0
    behind = 0
    first = start
    last = stop - 1
    for row in range(len(filled)):
        left = 0
        right = 0
        crossed = False
        own_first = start
        own_last = stop - 1
        for cell in range(ACROSS):
            if filled[row, cell]:
                if cell < start:
                    left += 1
                elif cell < stop:
                    crossed = True
                else:
                    right += 1
                own_first = min(own_first, cell)
                own_last = max(own_last, cell)
        if left and right and not crossed:
            count += 1
            before += left
            behind += right
            first = min(first, own_first)
            last = max(last, own_last)
    unbroken = pieces <= PIECES * count / max(rows, 1e-9) * LINES / 2
    widths = start - first, last + 1 - stop
    least = max(NARROWEST * (last + 1 - first), 1.0)
    left_full = before / max(count * widths[0], 1)
    right_full = behind / max(count * widths[1], 1)
    full = min(left_full, right_full) >= FULL
    if count >= LASTING * rows and unbroken and min(widths[0], widths[1]) >= ALIKE * max(widths[0], widths[1]):
        full |= min(left_full, right_full) >= (
            SPARSE if max(left_full, right_full) >= FULL_BESIDE_SPARSE else HALF_FULL
        )
    return np.bool_(full and count >= rows and min(widths[0], widths[1]) >= least)

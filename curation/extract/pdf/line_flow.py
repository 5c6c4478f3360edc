"""Tells how each line of a page follows the one before: it goes on, is a new line, begins a paragraph, or begins a
column.

A line has ended early if the first word of the next had found room in it, before the end of the lines around. A
paragraph begins behind a gap wider than between most lines, in letters of another size, and where a line stands further
in (or out) behind one that ends a sentence or has ended early; not if the lines after stand further in too, as those of
a reference do. A line that ends much too early is followed by a new line, and so are the rows of a table.
"""

from typing import NamedTuple

import numpy as np

from curation.extract.pdf.page_characters import BOTTOM, LEFT, RIGHT, TOP, Boxes, Flags, Ints
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel

GAP = 1.3  # of the usual distance of two lines
SIZE = 1.15  # of the letters' height
OTHER_SIZE = 1.3  # of the letters' height, that are never of one paragraph
FAR = 3.0  # heights of a line, from one to the next of a paragraph
INDENT = 0.6  # heights of a line
FURTHEST_INDENT = 6.0  # of a paragraph's beginning
EARLY = 0.04  # of the column's width
MUCH_TOO_EARLY = 0.25
ROOM = 0.7  # heights of a line, beside that for the word, in one that has ended early
FULL = 0.15  # of the column's width that may be free behind its last line
APART = 4.0  # heights of a line between two that have one end
AROUND = 3  # lines on either side in which the end of the column is sought
GOES_ON, LINE, PARAGRAPH, COLUMN = range(4)


class FlowLines(NamedTuple):
    """`boxes` float64[L, 4], `height` of the letters, number of the `column`, width of the first `word`. bool[L] are
    lines that begin with a `wide` letter as Chinese has, are `rows` of a table, end a sentence, and begin with the mark
    of an item (`items`), a number (`labels`) or a capital letter."""

    boxes: Boxes
    height: Boxes
    column: Ints
    word: Boxes
    wide: Flags
    rows: Flags
    ends: Flags
    items: Flags
    labels: Flags
    capitals: Flags


def follow(lines: FlowLines) -> tuple[Ints, Flags]:
    """int64[L]: how each line follows, and bool[L]: whether it reaches the end of its column."""
    count = len(lines.boxes)
    follows = np.empty(count, np.int64)
    full = np.empty(count, np.bool_)
    middles = (lines.boxes[:, BOTTOM] + lines.boxes[:, TOP]) / 2
    down = middles[:-1] - middles[1:]
    down = np.sort(down[(lines.column[1:] == lines.column[:-1]) & (down > lines.height[1:] / 4)])
    usual = float(down[len(down) // 2]) if len(down) else np.inf
    high = float(np.median(lines.height)) if count else 0.0
    _fill(*lines, usual, high, follows, full)
    return follows, full


@kernel
def _fill(
    boxes: Grid[Boxes],
    height: Boxes,
    column: Ints,
    word: Boxes,
    wide: Flags,
    rows: Flags,
    ends: Flags,
    items: Flags,
    labels: Flags,
    capitals: Flags,
    usual: float,
    high: float,
    follows: Out[Ints],
    full: Out[Flags],
) -> None:
    """`usual` is the distance of two lines, `high` the height of a line's letters."""
    left = 0.0
    right = 0.0
    for line in range(len(boxes)):
        left, right = _edges(boxes, height, column, line, usual)
        full[line] = right - boxes[line, RIGHT] <= FULL * (right - left)
        before = line - 1
        if line == 0 or column[line] != column[before]:
            follows[line] = COLUMN
            continue
        left, right = _edges(boxes, height, column, before, usual)
        spare = (right - boxes[before, RIGHT]) * (1 + _is_centred(boxes, before, height[line]))
        width = max(right - left, 1e-9)
        early = spare > EARLY * width and spare > word[line] + ROOM * height[line]
        tall = max(height[line], height[before])
        short = max(min(height[line], height[before]), 1e-9)
        down = (boxes[before, BOTTOM] + boxes[before, TOP] - boxes[line, BOTTOM] - boxes[line, TOP]) / 2
        apart = down > GAP * usual * max(1.0, short / max(high, 1e-9))
        if apart and not early and down < FAR * height[line]:  # lines that are all so far apart are no paragraphs
            apart = not (_is_even(boxes, column, before, down) or _is_even(boxes, column, line + 1, down))
        resized = tall > OTHER_SIZE * short or (tall > SIZE * short and early)
        ended = ends[before] or early
        if apart or resized or (ended and _steps(boxes, height, column, follows, ends, items, labels, line)):
            follows[line] = PARAGRAPH
        else:
            listed = labels[before] and abs(boxes[line, LEFT] - boxes[before, LEFT]) < INDENT * height[line]
            own = items[line] or rows[line] or rows[before] or (labels[line] and (ended or listed))
            alone = early and (ends[before] or wide[line] or capitals[line] or spare > MUCH_TOO_EARLY * width)
            follows[line] = LINE if own or alone else GOES_ON


@kernel
def _is_even(boxes: Grid[Boxes], column: Ints, line: Int, down: float) -> np.bool_:
    """Whether a line is `down` from the one before it, in the same column."""
    if line < 1 or line >= len(boxes) or column[line] != column[line - 1]:
        return np.bool_(False)
    own = (boxes[line - 1, BOTTOM] + boxes[line - 1, TOP] - boxes[line, BOTTOM] - boxes[line, TOP]) / 2
    return np.bool_(abs(own - down) < down / 10)


@kernel
def _is_centred(boxes: Grid[Boxes], line: Int, height: float) -> np.bool_:
    """Whether a line and the next have one middle and neither begins where the other does."""
    shift = boxes[line + 1, LEFT] - boxes[line, LEFT]
    return np.bool_(abs(shift) > INDENT * height and abs(shift + boxes[line + 1, RIGHT] - boxes[line, RIGHT]) < height)


@kernel
def _edges(boxes: Grid[Boxes], height: Boxes, column: Ints, line: Int, usual: float) -> tuple[float, float]:
    """Leftmost and rightmost ends of the lines around that are of one size with it and not apart."""
    left = boxes[line, LEFT]
    right = boxes[line, RIGHT]
    nearest = np.inf
    for other in (line - 1, line + 1):
        if 0 <= other < len(boxes) and column[other] == column[line]:
            nearest = min(nearest, abs(boxes[other, TOP] - boxes[line, TOP]))
    furthest = min(1.5 * GAP * max(usual, nearest), APART * height[line])
    for step in (-1, 1):
        for number in range(1, AROUND + 1):
            other = line + step * number
            if other < 0 or other >= len(boxes) or column[other] != column[line]:
                break
            if max(height[other], height[line]) > SIZE * min(height[other], height[line]):
                break
            if abs(boxes[other, TOP] - boxes[other - step, TOP]) > furthest:
                break
            left = min(left, boxes[other, LEFT])
            right = max(right, boxes[other, RIGHT])
    return left, right


@kernel
def _steps(
    boxes: Grid[Boxes],
    height: Boxes,
    column: Ints,
    follows: Ints,
    ends: Flags,
    items: Flags,
    labels: Flags,
    line: Int,
) -> np.bool_:
    """Whether a line stands further in or out than the one before as the first of a paragraph does."""
    before = line - 1
    step = (boxes[line, LEFT] - boxes[before, LEFT]) / max(height[line], 1e-9)
    first = follows[before] != GOES_ON
    if step < -INDENT:
        return np.bool_(not first)
    if not INDENT < step < FURTHEST_INDENT:
        return np.bool_(False)
    if not first:
        return np.bool_(True)
    if items[before] or labels[before]:
        return np.bool_(False)
    behind = line + 1
    if behind == len(boxes) or column[behind] != column[line]:
        return np.bool_(ends[before])
    return np.bool_(boxes[behind, LEFT] < boxes[line, LEFT] - INDENT * height[line])

"""A page as lines of text in reading order, and how each follows the one before.

A paragraph begins behind a gap wider than between most lines, in letters of another size, where a column begins, and
where a line stands further in (or out) behind one that ends early. A line that ends much too early is followed by a new
line, and so are the rows of a table.
"""

import re
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from curation.extract.pdf.page_runs import BOTTOM, LEFT, RIGHT, TOP, Boxes, Ints, PageRuns
from curation.extract.pdf.reading_order import columns, lines
from curation.text.kernels.compiler.kernel import Grid, Out, kernel

GAP = 1.3  # of the usual distance of two lines
SIZE = 1.15  # of the letters' height
INDENT = 0.6  # heights of a line
FURTHEST_INDENT = 4.0  # of a paragraph's beginning
LABEL = 3.0  # of its height: a shorter run at the beginning is a number or mark, and no cell
SLENDER = 0.15  # of its height for each character: text that is less wide runs upwards
EARLY = 0.04  # of the column's width
MUCH_TOO_EARLY = 0.25
GOES_ON, LINE, PARAGRAPH, COLUMN = range(4)  # how a line follows; behind COLUMN what it says decides
SENTENCE_END = re.compile(r"[.!?:;。！？][\"'”’»)\]]*$")
_ITEM = re.compile("^[•▪■●◦‣⁃] ")

Flags: TypeAlias = npt.NDArray[np.bool_]


class PageLine(NamedTuple):
    """`middle` is its height on the page, in points."""

    text: str
    follows: int
    middle: float


def page_lines(page: PageRuns) -> list[PageLine]:
    """Text that runs upwards stands last."""
    text, places, boxes = page
    order, numbers, column = _in_order(boxes, places[:, 1] - places[:, 0])
    starts, cells = np.empty((2, len(column)), np.int64)
    merged = np.empty((len(column), 4))
    _merge(boxes[order], numbers, starts, cells, merged)
    pieces = [" ".join(text[first:stop].split()) for first, stop in places[order].tolist()]
    bounds = [*starts.tolist(), len(order)]
    between = ["\t" if count > 1 else " " for count in cells.tolist()]
    texts = [one.join(pieces[first:stop]) for one, (first, stop) in zip(between, pairwise(bounds), strict=True)]
    ends = np.array([SENTENCE_END.search(one) is not None for one in texts], np.bool_)
    items = np.array([_ITEM.match(one) is not None for one in texts], np.bool_)
    middles = (merged[:, BOTTOM] + merged[:, TOP]) / 2
    down = np.sort((middles[:-1] - middles[1:])[column[1:] == column[:-1]])
    usual = float(down[len(down) // 2]) if len(down) else np.inf
    follows = np.empty(len(texts), np.int64)
    _follow(merged, column, usual, cells, ends, items, follows)
    texts = [_ITEM.sub("- ", one) for one in texts]
    return [PageLine(*one) for one in zip(texts, follows.tolist(), middles.tolist(), strict=True) if one[0]]


def _in_order(boxes: Boxes, length: Ints) -> tuple[Ints, Ints, Ints]:
    """Runs in order, the number of each one's line, and that of each line's column."""
    height = boxes[:, TOP] - boxes[:, BOTTOM]
    upwards = (length > 3) & (boxes[:, RIGHT] - boxes[:, LEFT] < SLENDER * length * height)
    level = np.flatnonzero(~upwards)
    groups = [level[part] for part in columns(boxes[level])] + [np.array([run]) for run in np.flatnonzero(upwards)]
    orders, numbers = zip(*(lines(boxes, part) for part in groups), strict=True) if groups else ([level], [level])
    counts = [int(number[-1]) + 1 if len(number) else 0 for number in numbers]
    before = np.cumsum([0, *counts[:-1]])
    column = np.repeat(np.arange(len(counts)), counts)
    return np.concatenate(orders), np.concatenate([a + b for a, b in zip(numbers, before, strict=True)]), column


@kernel
def _merge(boxes: Grid[Boxes], numbers: Ints, starts: Out[Ints], cells: Out[Ints], merged: Out[Grid[Boxes]]) -> None:
    """Fill in where each line starts among the runs, its box, and how many cells of a table it may be."""
    line = -1
    for run in range(len(boxes)):
        left = boxes[run, LEFT]
        right = boxes[run, RIGHT]
        bottom = boxes[run, BOTTOM]
        top = boxes[run, TOP]
        if numbers[run] != line:
            line = numbers[run]
            starts[line] = run
            cells[line] = right - left >= LABEL * (top - bottom)
            merged[line, LEFT] = left
            merged[line, RIGHT] = right
            merged[line, BOTTOM] = bottom
            merged[line, TOP] = top
            continue
        cells[line] += 1
        merged[line, RIGHT] = max(merged[line, RIGHT], right)
        merged[line, BOTTOM] = min(merged[line, BOTTOM], bottom)
        merged[line, TOP] = max(merged[line, TOP], top)


@kernel
def _follow(
    boxes: Grid[Boxes], column: Ints, usual: float, cells: Ints, ends: Flags, items: Flags, follows: Out[Ints]
) -> None:
    """Fill in how each line follows. `usual` is the distance of two lines; `ends` tells which of them end a sentence,
    `items` which begin with a mark."""
    count = len(boxes)
    left = np.zeros(count)
    right = np.zeros(count)
    for line in range(count):
        if not line or column[line] != column[line - 1]:
            left[column[line]] = boxes[line, LEFT]
            right[column[line]] = boxes[line, RIGHT]
        left[column[line]] = min(left[column[line]], boxes[line, LEFT])
        right[column[line]] = max(right[column[line]], boxes[line, RIGHT])
    for line in range(count):
        before = max(line - 1, 0)
        height = boxes[line, TOP] - boxes[line, BOTTOM]
        other = boxes[before, TOP] - boxes[before, BOTTOM]
        resized = max(height, other) > SIZE * min(height, other)
        edge = right[column[before]]
        spare = (edge - boxes[before, RIGHT]) / max(edge - left[column[before]], 1e-9)
        if not line or column[line] != column[before]:
            follows[line] = PARAGRAPH if resized or spare > EARLY else COLUMN
            continue
        step = (boxes[line, LEFT] - boxes[before, LEFT]) / height
        further_in = INDENT < step < FURTHEST_INDENT
        begins = further_in and ends[before]
        if spare > EARLY:
            begins = further_in or resized or step < -INDENT
        down = (boxes[before, BOTTOM] + boxes[before, TOP] - boxes[line, BOTTOM] - boxes[line, TOP]) / 2
        if begins or down > GAP * usual:
            follows[line] = PARAGRAPH
        elif spare > MUCH_TOO_EARLY or items[line] or cells[line] > 1 or cells[before] > 1:
            follows[line] = LINE
        else:
            follows[line] = GOES_ON

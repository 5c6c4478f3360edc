"""A page as lines of text in reading order, and how each follows the one before (`line_flow.py`).

Between two pieces of a line is a tab if they are cells of a table (`line_gaps.py`), a space if they are words.
"""

import re
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from curation.extract.pdf.line_flow import FlowLines, follow
from curation.extract.pdf.line_gaps import JOINED, TAB, gap_kinds
from curation.extract.pdf.page_characters import BOTTOM, LEFT, RIGHT, TOP, Boxes, Flags, Ints
from curation.extract.pdf.page_runs import NARROWEST, SAME, WIDEST, WORD, PageRuns
from curation.extract.pdf.reading_order import columns, lines
from curation.text.kernels.compiler.kernel import Grid, Out, kernel

SLENDER = 0.15  # of its height for each character: text that is less wide runs upwards
MOST_PARTS = 1_000  # of a page's columns; one that has more is read by its lines
UPWARDS = -1  # the column of text that does
SENTENCE_END = re.compile(r"[.!?:;。！？][\"'”’»)\]]*$")
_ITEM = re.compile("^[•▪■●◦‣⁃\uf0b7\uf0a7] *")
LABEL = re.compile(r"^(?:\[\w{1,8}\]|\(\w{1,3}\)|\w{1,3}[.)])(?: |$)")  # of a reference or an item that has a number
_LEADERS = ("....", "……", ". . . .")  # before the number of a page in a table of contents
_STOPS = frozenset(".:;!?,")


class PageLine(NamedTuple):
    """`middle` is its height on the page and `size` that of its letters, in points. `full`: it reaches the end of its
    column; `typed`: in a typewriter's font."""

    text: str
    follows: int
    middle: float
    size: float
    column: int
    full: bool
    row: bool
    typed: bool


def page_lines(page: PageRuns) -> list[PageLine]:
    """Text that runs upwards stands last. Lines from right to left are mirrored while they are put in order."""
    text, places, boxes, sizes, to_left = page
    if to_left:
        boxes = boxes * [-1, -1, 1, 1]
        boxes[:, [LEFT, RIGHT]] = boxes[:, [RIGHT, LEFT]]
    length = places[:, 1] - places[:, 0]
    order, numbers, column, upwards = _in_order(boxes, length)
    boxes = boxes[order]
    sizes = sizes[order]
    length = length[order]
    count = len(column)
    starts, typed = np.empty((2, count), np.int64)
    merged = np.empty((count, 4))
    height = np.empty(count)
    _merge(boxes, sizes, length, numbers, starts, merged, height, typed)
    pieces = [" ".join(text[first:stop].split()) for first, stop in places[order].tolist()]
    bounds = [*starts.tolist(), len(order)]
    stops = np.array([one[-1:] in _STOPS for one in pieces], np.bool_)
    labels = np.array([_is_label(pieces[first], stop - first) for first, stop in pairwise(bounds)], np.bool_)
    kinds, rows = gap_kinds(boxes, sizes, numbers, starts, merged, height, column, stops, labels)
    between = ["" if kind == JOINED else "\t" if kind == TAB else " " for kind in kinds.tolist()]
    texts = [
        pieces[first] + "".join(between[at] + pieces[at] for at in range(first + 1, stop))
        for first, stop in pairwise(bounds)
    ]
    rows |= np.array([_has_leader(one) for one in texts], np.bool_)
    follows, full = follow(
        FlowLines(
            boxes=merged,
            height=height,
            column=column,
            word=sizes[starts, WORD] if count else np.empty(0),
            wide=sizes[starts, NARROWEST] == 0 if count else np.empty(0, np.bool_),
            rows=rows,
            ends=np.array([SENTENCE_END.search(one) is not None for one in texts], np.bool_),
            items=np.array([_ITEM.match(one) is not None for one in texts], np.bool_),
            labels=labels | np.array([LABEL.match(one) is not None for one in texts], np.bool_),
            capitals=np.array([one[:1].isupper() for one in texts], np.bool_),
        )
    )
    column = np.where(upwards, UPWARDS, column)
    texts = [_ITEM.sub("- ", one) for one in texts]
    middles = (merged[:, BOTTOM] + merged[:, TOP]) / 2
    columns_of = (follows, middles, height, column, full, rows, typed)
    return [PageLine(*one) for one in zip(texts, *(each.tolist() for each in columns_of), strict=True) if one[0]]


def _has_leader(text: str) -> bool:
    dotted = text.rstrip("0123456789ivxlc")
    return dotted != text and dotted.rstrip().endswith(_LEADERS)


def _is_label(piece: str, pieces: int) -> bool:
    """A mark or number before the text of a line."""
    if pieces == 1 or len(piece) >= 10:
        return False
    mark = len(piece) == 1 and not piece.isalnum()
    return mark or _ITEM.match(piece) is not None or LABEL.match(piece) is not None


def _in_order(boxes: Boxes, length: Ints) -> tuple[Ints, Ints, Ints, Flags]:
    """Runs in order, the number of each one's line, that of each line's column, and whether the line runs upwards."""
    height = boxes[:, TOP] - boxes[:, BOTTOM]
    upwards = (length > 3) & (boxes[:, RIGHT] - boxes[:, LEFT] < SLENDER * length * height)
    level = np.flatnonzero(~upwards)
    parts = list(islice(columns(boxes[level]), MOST_PARTS + 1))
    parts = parts if 0 < len(parts) <= MOST_PARTS else [np.arange(len(level))]
    orders, numbers = zip(*(lines(boxes, level[part]) for part in parts), strict=True)
    turned = np.flatnonzero(upwards)
    counts = [int(number[-1]) + 1 if len(number) else 0 for number in numbers] + [1] * len(turned)
    before = np.cumsum([0, *counts])[:-1]
    return (
        np.concatenate([*orders, turned]),
        np.concatenate([*(a + b for a, b in zip(numbers, before, strict=False)), before[len(parts) :]]),
        np.repeat(np.arange(len(counts)), counts),
        np.repeat(np.arange(len(counts)) >= len(parts), counts),
    )


@kernel
def _merge(
    boxes: Grid[Boxes],
    sizes: Grid[Boxes],
    length: Ints,
    numbers: Ints,
    starts: Out[Ints],
    merged: Out[Grid[Boxes]],
    height: Out[Boxes],
    typed: Out[Ints],
) -> None:
    """Fill in where each line starts among the runs, its box, of which the height is that of its longest run, that
    height, and whether all of its letters are of one width."""
    line = -1
    most = 0
    for run in range(len(boxes)):
        if numbers[run] != line:
            line = numbers[run]
            starts[line] = run
            for side in range(4):
                merged[line, side] = boxes[run, side]
            typed[line] = 1
            most = 0
        merged[line, LEFT] = min(merged[line, LEFT], boxes[run, LEFT])
        merged[line, RIGHT] = max(merged[line, RIGHT], boxes[run, RIGHT])
        high = boxes[run, TOP] - boxes[run, BOTTOM]
        if length[run] > most or (length[run] == most and high > height[line]):
            most = length[run]
            height[line] = high
            merged[line, BOTTOM] = boxes[run, BOTTOM]
            merged[line, TOP] = boxes[run, TOP]
        if sizes[run, NARROWEST] < (1 - SAME) * sizes[run, WIDEST]:
            typed[line] = 0

"""The runs that a page's characters form: pieces of a line without a wide gap."""

from typing import NamedTuple

import numpy as np

from curation.extract.pdf.page_characters import (
    BLANK,
    BOTTOM,
    DROPPED,
    HYPHEN,
    LEFT,
    RIGHT,
    TOP,
    Boxes,
    Codes,
    Ints,
    PageCharacters,
    text_of,
)
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel

WIDE = 0.8  # heights of a character between two runs of a line
SAME = 0.02  # of a letter's width or height by which those of one font, or of one width, differ
WIDE_LETTERS = 0x2E80  # Chinese and Japanese, which break anywhere
_CARRIAGE_RETURN, _LINE_FEED = b"\r\n"
WORD, NARROWEST, WIDEST, SPACE = range(4)  # columns of `sizes`


class PageRuns(NamedTuple):
    """`text` has the page's N characters, `places` int64[R, 2] the first of each run and the one behind its last,
    `boxes` float64[R, 4] where they are, the height being that of most of them, and `sizes` float64[R, 4] the width of
    the run's first word, of its narrowest and widest letter (the narrowest is 0 in Chinese and Japanese), and of its
    narrowest space (0 if it has none). `to_left`: most characters are of scripts that run from right to left."""

    text: str
    places: Ints
    boxes: Boxes
    sizes: Boxes
    to_left: bool = False


def page_runs(page: PageCharacters) -> PageRuns:
    """Runs in the order of the file."""
    count = len(page.codes)
    places = np.empty((count, 2), np.int64)
    boxes = np.empty((count, 4))
    sizes = np.zeros((count, 4))
    runs = _fill(page.codes, page.boxes, places, boxes, sizes)
    to_left = bool(2 * np.count_nonzero((page.codes >= 0x590) & (page.codes < 0x900)) > count)  # Hebrew, Arabic
    return PageRuns(text_of(page.codes), places[:runs], boxes[:runs], sizes[:runs], to_left)


@kernel
def _fill(
    codes: Codes, corners: Grid[Boxes], places: Out[Grid[Ints]], boxes: Out[Grid[Boxes]], sizes: Out[Grid[Boxes]]
) -> Int:
    """Returns the number of runs."""
    runs = 0
    opened = False
    word = True  # the run's first has not ended
    before = 0
    votes = 0  # for the height of the run
    for at in range(len(codes)):
        code = codes[at]
        if code in (_CARRIAGE_RETURN, _LINE_FEED):
            opened = False
        if code == BLANK:
            word = False
        if (code <= BLANK and code != HYPHEN) or code == DROPPED:
            continue
        left = corners[at, LEFT]
        right = corners[at, RIGHT]
        height = max(corners[at, TOP] - corners[at, BOTTOM], corners[before, TOP] - corners[before, BOTTOM])
        if opened and max(left - corners[before, RIGHT], corners[before, LEFT] - right) > WIDE * height:
            opened = False
        if not opened:
            opened = True
            word = True
            votes = 0
            places[runs, 0] = at
            for side in range(4):
                boxes[runs, side] = corners[at, side]
            sizes[runs, NARROWEST] = right - left
            runs += 1
        elif codes[at - 1] == BLANK:
            space = max(left - corners[before, RIGHT], 1e-3)
            sizes[runs - 1, SPACE] = min(space, sizes[runs - 1, SPACE]) if sizes[runs - 1, SPACE] else space
        votes = int(_extend(corners, at, boxes, runs - 1, votes))
        places[runs - 1, 1] = at + 1
        if word:
            sizes[runs - 1, WORD] = right - boxes[runs - 1, LEFT]
        if code >= WIDE_LETTERS:
            word = False
            sizes[runs - 1, NARROWEST] = 0.0
        sizes[runs - 1, NARROWEST] = min(sizes[runs - 1, NARROWEST], right - left)
        sizes[runs - 1, WIDEST] = max(sizes[runs - 1, WIDEST], right - left)
        before = at
    return runs


@kernel
def _extend(corners: Grid[Boxes], at: Int, boxes: Out[Grid[Boxes]], run: Int, votes: Int) -> Int:
    """Returns the votes for the run's height, which is that of most of its characters."""
    boxes[run, LEFT] = min(boxes[run, LEFT], corners[at, LEFT])
    boxes[run, RIGHT] = max(boxes[run, RIGHT], corners[at, RIGHT])
    if votes == 0:
        boxes[run, BOTTOM] = corners[at, BOTTOM]
        boxes[run, TOP] = corners[at, TOP]
    high = boxes[run, TOP] - boxes[run, BOTTOM]
    alike = abs(corners[at, TOP] - corners[at, BOTTOM] - high) <= SAME * high
    return votes + 1 if alike or votes == 0 else votes - 1

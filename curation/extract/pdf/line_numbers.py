"""Numbers of lines in the left margin, as manuscripts for review and standards have them: they are no text.

They stand below one another left of all long lines, go up by one step, and nearly each line of text has one (or each
fifth one), which tells them from the numbers of a list, of references, or of a table's rows.
"""

from collections import Counter
from itertools import pairwise

import numpy as np

from curation.extract.pdf.page_characters import BOTTOM, LEFT, RIGHT, TOP, Boxes, Flags, Ints
from curation.extract.pdf.page_runs import PageRuns

DIGITS = 5
FEWEST = 8  # numbers of a page
MOST = 300
LONG = 40  # characters of a piece that is a line of text
ALIKE = 1.5  # points between the ends of numbers below one another
STEPS = (1, 2, 5, 10)
SHARE = 0.8  # of the steps that are alike, and of the lines that have a number


def without_line_numbers(page: PageRuns) -> tuple[PageRuns, int]:
    """The other runs of a page, and how many numbers were left out."""
    numbers = _numbers(page)
    if not len(numbers):
        return page, 0
    kept = np.ones(len(page.places), np.bool_)
    kept[numbers] = False
    return page._replace(places=page.places[kept], boxes=page.boxes[kept], sizes=page.sizes[kept]), len(numbers)


def _numbers(page: PageRuns) -> Ints:
    """The runs that are numbers of lines."""
    none = np.empty(0, np.int64)
    text, places, boxes, _, _ = page
    length = places[:, 1] - places[:, 0]
    long = np.flatnonzero(length > LONG)
    if len(long) < FEWEST:
        return none
    text_left = np.sort(boxes[long, LEFT])[len(long) // FEWEST]  # few lines may begin further left
    beside = np.flatnonzero((length <= DIGITS) & (boxes[:, RIGHT] <= text_left))
    found = np.array([run for run in beside.tolist() if text[slice(*places[run])].isdecimal()], np.int64)
    if not FEWEST <= len(found) <= MOST:
        return none
    found = found[_in_one_column(boxes[found, RIGHT]) | _in_one_column(boxes[found, LEFT])]
    middles = (boxes[:, BOTTOM] + boxes[:, TOP]) / 2
    found = found[np.argsort(-middles[found], kind="stable")]
    said = [int(text[slice(*places[run])]) for run in found.tolist()]
    step, times = Counter([after - before for before, after in pairwise(said)] or [0]).most_common(1)[0]
    if step not in STEPS or times < SHARE * (len(found) - 1):
        return none
    within = long[(middles[long] <= middles[found[0]] + ALIKE) & (middles[long] >= middles[found[-1]] - ALIKE)]
    near = np.abs(middles[within][:, None] - middles[found]).min(axis=1, initial=np.inf) <= ALIKE
    return found if len(within) and step * np.count_nonzero(near) >= SHARE * len(within) else none


def _in_one_column(ends: Boxes) -> Flags:
    alike: Flags = np.abs(ends - np.median(ends)) <= ALIKE
    return alike

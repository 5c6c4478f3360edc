"""All tags of a page in order, with their partners, and which elements are inline: one pass over its bytes.

N tags.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from curation.extract.blocks.tags import NAMES, NUMBER, number_of
from curation.extract.markup import skip_raw
from curation.extract.nesting import RAW, VOID, flags_of
from curation.text.html.syntax import (
    LESS,
    SLASH,
    Html,
    begins_tag,
    read_attributes,
    read_name,
    skip_comment,
    skip_text,
)
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel

START, END, NAME, CLOSES, PARTNER = range(5)  # columns of the tags

TagRows: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]


class PageTags(NamedTuple):
    """A page's bytes, and its tags: int64[N, 5].

    Columns: where the tag starts and ends, the number of its element in `curation.extract.blocks.tags` (0 for one that
    has none), 1 for an end tag, and the row of its partner, -1 if it has none. What stands in comments, scripts and the
    like is no tag.
    """

    html: Html
    rows: Grid[TagRows]


def elements(names: str) -> Bools:
    """bool[E]: true at the numbers of the elements with these names, which are separated by spaces."""
    chosen = np.zeros(len(NAMES), np.bool_)
    chosen[[NUMBER[name] for name in names.split()]] = True
    return chosen


INLINE = elements(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q s samp small span strike strong"
    " sub sup tt u var wbr"
)


def page_tags(page: bytes) -> PageTags:
    """The tags of a page in UTF-8; a tag that never ends is none."""
    html = np.frombuffer(page, np.uint8)
    found = np.empty((int(np.count_nonzero(html == LESS)), 5), np.int64)
    return PageTags(html, found[: _fill(html, found)])


@kernel
def _fill(html: Html, found: Out[Grid[TagRows]]) -> Int:
    """Fill in the tags; returns how many."""
    rows: Int = 0
    innermost = np.full(len(NAMES), -1, np.int64)  # the last open tag of each element
    place = skip_text(html, 0)
    while place < len(html):
        if not begins_tag(html, place):
            place = skip_text(html, skip_comment(html, place))
            continue
        closes = np.int64(html[place + 1] == SLASH)
        hashed, name_end = read_name(html, place + 1 + closes)
        _, _, end = read_attributes(html, name_end)
        if end > len(html):
            break
        name = number_of(hashed)
        found[rows, START] = place
        found[rows, END] = end
        found[rows, NAME] = name
        found[rows, CLOSES] = closes
        found[rows, PARTNER] = -1
        if name:
            _pair(found, rows, innermost, flags_of(hashed) & VOID != 0)
        rows += 1
        raw = flags_of(hashed) & RAW and not closes
        place = skip_text(html, skip_raw(html, end, hashed) if raw else end)
    _unpair(found, innermost)
    return rows


@kernel
def _pair(found: Out[Grid[TagRows]], row: Int, innermost: Out[npt.NDArray[np.int64]], void: bool) -> None:
    """Give the tag in `row` its partner; until its end tag is found, an open one points to that below it."""
    name = found[row, NAME]
    opened = innermost[name]
    if not found[row, CLOSES]:
        if not void:
            found[row, PARTNER] = opened
            innermost[name] = row
    elif opened >= 0:
        innermost[name] = found[opened, PARTNER]
        found[opened, PARTNER] = row
        found[row, PARTNER] = opened


@kernel
def _unpair(found: Out[Grid[TagRows]], innermost: npt.NDArray[np.int64]) -> None:
    """Tags that are open at the page's end have no partner."""
    for name in range(innermost.size):
        opened = innermost[name]
        while opened >= 0:
            below = found[opened, PARTNER]
            found[opened, PARTNER] = -1
            opened = below

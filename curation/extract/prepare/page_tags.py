"""All tags of a page in order, with their partners, and which elements are inline: one pass over its bytes.

N tags, E elements.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from curation.extract.blocks.tags import NAMES, NUMBER, number_of
from curation.extract.nesting import RAW, VOID, flags_of
from curation.text.html.syntax import (
    LESS,
    SLASH,
    Html,
    begins_tag,
    read_attributes,
    read_name,
    skip_comment,
    skip_raw,
    skip_text,
)
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.find import count_byte

Bools: TypeAlias = npt.NDArray[np.bool_]
Int64s: TypeAlias = npt.NDArray[np.int64]


_SVG = NUMBER["svg"]
_MATH = NUMBER["math"]


class PageTags(NamedTuple):
    """A page's bytes and its tags, in order. What stands in comments, scripts and the like is no tag."""

    html: Html
    start: Out[Int64s]  # int64[N]: where the tag begins
    end: Out[Int64s]  # int64[N]: where it ends
    name: Out[npt.NDArray[np.uint8]]  # uint8[N]: of its element in `curation.extract.blocks.tags`; 0 for others
    closes: Out[Bools]  # bool[N]: an end tag
    partner: Out[Int64s]  # int64[N]: the other tag of the element; -1 if it has none
    present: Out[Bools]  # bool[E]: the elements that the page has


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
    size = count_byte(html, LESS)
    tags = PageTags(
        html=html,
        start=np.empty(size, np.int64),
        end=np.empty(size, np.int64),
        name=np.empty(size, np.uint8),
        closes=np.empty(size, np.bool_),
        partner=np.full(size, -1, np.int64),
        present=np.zeros(len(NAMES), np.bool_),
    )
    found = _fill(tags)
    return tags._replace(
        **{name: getattr(tags, name)[:found] for name in ("start", "end", "name", "closes", "partner")}
    )


@kernel
def _fill(tags: PageTags) -> Int:
    """Fill in the tags; returns how many."""
    html = tags.html
    row: Int = 0
    innermost = np.full(tags.present.size, -1, np.int64)  # the last open tag of each element
    place = skip_text(html, 0)
    while place < len(html):
        if not begins_tag(html, place):
            place = skip_text(html, skip_comment(html, place))
            continue
        closes = html[place + 1] == SLASH
        hashed, name_end = read_name(html, place + 1 + closes)
        _, closed, end = read_attributes(html, name_end)
        if end > len(html):
            break
        name = number_of(hashed)
        flags = flags_of(hashed)
        tags.start[row] = place
        tags.end[row] = end
        tags.name[row] = name
        tags.closes[row] = closes
        tags.present[name] = True
        if name and not flags & VOID:
            _pair(tags, row, innermost)
        row += 1
        raw = flags & RAW and not closes
        if closed and (innermost[_SVG] >= 0 or innermost[_MATH] >= 0):
            raw = False  # an empty <title/>
        place = skip_text(html, skip_raw(html, end, hashed) if raw else end)
    _unpair(tags, innermost)
    return row


@kernel
def _pair(tags: PageTags, row: Int, innermost: Out[Int64s]) -> None:
    """Give the tag in `row` its partner; until its end tag is found, an open one points to that below it."""
    name = tags.name[row]
    opened = innermost[name]
    if not tags.closes[row]:
        tags.partner[row] = opened
        innermost[name] = row
    elif opened >= 0:
        innermost[name] = tags.partner[opened]
        tags.partner[opened] = row
        tags.partner[row] = opened


@kernel
def _unpair(tags: PageTags, innermost: Int64s) -> None:
    """Tags that are open at the page's end have no partner."""
    for name in range(innermost.size):
        opened = innermost[name]
        while opened >= 0:
            below = tags.partner[opened]
            tags.partner[opened] = -1
            opened = below

"""Preformatted text that keeps its lines in every parser.

A <br> in a <pre> becomes a line feed, and the content gets a <code> of its own, because Trafilatura takes other
preformatted text for a quotation. For Resiliparse, whose text says nowhere what was preformatted, marks go around it.
"""

from collections.abc import Iterator

import numpy as np

from curation.extract.blocks.tags import NUMBER
from curation.extract.marks import CODE_CLOSES, CODE_OPENS
from curation.extract.prepare.edits import Edit, EditRows
from curation.extract.prepare.page_tags import CLOSES, END, NAME, PARTNER, START, PageTags, TagRows, elements
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel

_PRE = NUMBER["pre"]
_CODE = NUMBER["code"]
_BR = NUMBER["br"]
_ENDS = elements("td th tr table body html")  # a <pre> that is open there has no end of its own


def marked_code(page: bytes, tags: PageTags) -> Iterator[Edit]:
    """Marks around the content of each <pre>."""
    for start, end in _contents(tags).tolist():
        yield Edit(start, start, CODE_OPENS.encode())
        yield Edit(end, end, CODE_CLOSES.encode())


def code_elements(page: bytes, tags: PageTags) -> Iterator[Edit]:
    """A <code> around the content of each <pre> that has none."""
    for start, end in _contents(tags).tolist():
        inside = tags.rows[slice(*np.searchsorted(tags.rows[:, START], (start, end)))]
        if not np.any(inside[:, NAME] == _CODE):
            yield Edit(start, start, b"<code>")
            yield Edit(end, end, b"</code>")


def lines_of_code(page: bytes, tags: PageTags) -> Iterator[Edit]:
    """Line feeds for the <br> in each <pre>."""
    breaks = tags.rows[(tags.rows[:, NAME] == _BR)]
    for start, end in _contents(tags).tolist():
        first, last = np.searchsorted(breaks[:, START], (start, end))
        for at in range(first, last):
            yield Edit(int(breaks[at, START]), int(breaks[at, END]), b"\n")


def _contents(tags: PageTags) -> EditRows:
    """The bytes between the tags of each <pre> that is in no other."""
    found = np.empty((len(tags.rows), 2), np.int64)
    return found[: _fill(tags.rows, found)]


@kernel
def _fill(rows: Grid[TagRows], found: Out[EditRows]) -> Int:
    count: Int = 0
    row: Int = 0
    while row < len(rows):
        partner = rows[row, PARTNER]
        if rows[row, NAME] != _PRE or rows[row, CLOSES] or partner < 0:
            row += 1
            continue
        if not _is_cut_off(rows, row, partner):
            found[count, 0] = rows[row, END]
            found[count, 1] = rows[partner, START]
            count += 1
        row = partner + 1
    return count


@kernel
def _is_cut_off(rows: Grid[TagRows], first: Int, last: Int) -> bool:
    """Whether an element around ends between two tags."""
    for row in range(first + 1, last):
        if _ENDS[rows[row, NAME]] and rows[row, CLOSES] and rows[row, PARTNER] < first:
            return True
    return False

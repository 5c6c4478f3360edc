"""Lists in the cells of tables, which Trafilatura drops: they become blocks, which it keeps.

Trafilatura 2.3.1 reads a list in a cell only if it is asked for recall, because many are menus. Lists with a link stay
as they are, as do those of `CELL` characters and more, which are the text of a page that is laid out in a table.
"""

from collections.abc import Iterator

import numpy as np

from curation.extract.blocks.tags import NUMBER
from curation.extract.normal_form import CELL
from curation.extract.prepare.edits import Edit
from curation.extract.prepare.page_tags import Int64s, PageTags, elements
from curation.text.kernels.compiler.kernel import Int, Out, kernel

_LISTS = elements("ul ol")
_CELLS = elements("td th")
_LI = NUMBER["li"]
_A = NUMBER["a"]


def lists_in_cells(page: bytes, tags: PageTags) -> Iterator[Edit]:
    """The outermost lists in cells and their items as divisions and paragraphs."""
    found = np.empty(tags.start.size, np.int64)
    for first in found[: _fill(tags, found)].tolist():
        last = int(tags.partner[first])
        for row in range(first, last + 1):
            at = int(tags.start[row]) + 1 + int(tags.closes[row])
            if tags.name[row] == _LI:
                yield Edit(at, at + 2, b"p")
            elif _LISTS[tags.name[row]]:
                yield Edit(at, at + 2, b"div")


@kernel
def _fill(tags: PageTags, found: Out[Int64s]) -> Int:
    """Fill in the rows of such lists' start tags; returns how many there are."""
    count: Int = 0
    cells: Int = 0
    row: Int = 0
    while row < tags.start.size:
        name = tags.name[row]
        partner = tags.partner[row]
        if partner >= 0 and _CELLS[name]:
            cells += -1 if tags.closes[row] else 1
        elif cells and partner > row and _LISTS[name]:
            if _is_short(tags, row, partner):
                found[count] = row
                count += 1
            row = partner
        row += 1
    return count


@kernel
def _is_short(tags: PageTags, first: Int, last: Int) -> bool:
    """Whether a list has no link and less than `CELL` bytes of text."""
    size: Int = 0
    for row in range(first, last):
        size += tags.start[row + 1] - tags.end[row]
        if tags.name[row] == _A or size >= CELL:
            return False
    return True

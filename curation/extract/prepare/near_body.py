"""Lists near the body, which Resiliparse takes for navigation.

Resiliparse 2.0.1, asked for the main content, drops every `<ul>` with fewer than three elements between it and the
body, whatever it holds: the steps of a recipe as well as a menu. This puts divisions around such a list until there are
three. Its other rules then decide, of which one drops lists that are mostly links.

Elements between are counted by their tags, both of which must be there: in a page that leaves end tags out, a list may
get more divisions than it needs, which changes nothing.
"""

from collections.abc import Iterator

import numpy as np

from curation.extract.blocks.tags import NUMBER
from curation.extract.prepare.edits import Edit, EditRows
from curation.extract.prepare.page_tags import PageTags, elements
from curation.text.kernels.compiler.kernel import Int, Out, kernel

NEEDED = 3  # elements between the body and a list that is read
_UL = NUMBER["ul"]
_OUTSIDE = elements("html head body")


def lists_near_body(page: bytes, tags: PageTags) -> Iterator[Edit]:
    """Divisions around each `<ul>` that is near the body."""
    found = np.empty((tags.start.size, 2), np.int64)
    for row, missing in found[: _near(tags, found)].tolist():
        start = int(tags.start[row])
        end = int(tags.end[tags.partner[row]])
        yield Edit(start, start, b"<div>" * missing)
        yield Edit(end, end, b"</div>" * missing)


@kernel
def _near(tags: PageTags, found: Out[EditRows]) -> Int:
    """Fill in the tags of such lists and how many elements are missing around them; returns how many lists."""
    open_elements: Int = 0
    count: Int = 0
    for row in range(tags.start.size):
        name = tags.name[row]
        if tags.partner[row] < 0 or _OUTSIDE[name]:
            continue
        if tags.closes[row]:
            open_elements -= 1
            continue
        if name == _UL and open_elements < NEEDED:
            found[count, 0] = row
            found[count, 1] = NEEDED - open_elements
            count += 1
        open_elements += 1
    return count

"""Preformatted text that keeps its lines in every parser.

A <br> in a <pre> becomes a line feed, as does the end of a block, and the content gets a <code> of its own, because
Trafilatura takes other preformatted text for a quotation. Marks go around it, because Resiliparse's text says nowhere
what was preformatted, and in Trafilatura's tree code of an item may as well be a part of its sentence.
"""

from collections.abc import Iterator

import numpy as np

from curation.extract.blocks.tags import NUMBER
from curation.extract.marks import CODE_CLOSES, CODE_OPENS
from curation.extract.prepare.edits import Edit, EditRows
from curation.extract.prepare.page_tags import PageTags, elements
from curation.text.kernels.compiler.kernel import Int, Out, kernel

_PRE = NUMBER["pre"]
_CODE = NUMBER["code"]
_BR = NUMBER["br"]
_LINES = elements("div p li")
_ENDS = elements("td th tr table body html")  # a <pre> that is open there has no end of its own


def marked_code(page: bytes, tags: PageTags) -> Iterator[Edit]:
    """Marks around the content of each <pre>."""
    for start, end in _contents(tags).tolist():
        yield Edit(start, start, CODE_OPENS.encode())
        yield Edit(end, end, CODE_CLOSES.encode())


def code_elements(page: bytes, tags: PageTags) -> Iterator[Edit]:
    """A <code> around the content of each <pre> that has none, and marks in it."""
    for start, end in _contents(tags).tolist():
        first, last = np.searchsorted(tags.start, (start, end))
        own = first + np.flatnonzero((tags.name[first:last] == _CODE) & ~tags.closes[first:last])
        if not own.size:
            yield Edit(start, start, b"<code>" + CODE_OPENS.encode())
            yield Edit(end, end, CODE_CLOSES.encode() + b"</code>")
        elif first < (closes := int(tags.partner[own[0]])) < last:
            opens = int(tags.end[own[0]])
            yield Edit(opens, opens, CODE_OPENS.encode())
            yield Edit(int(tags.start[closes]), int(tags.start[closes]), CODE_CLOSES.encode())


def lines_of_code(page: bytes, tags: PageTags) -> Iterator[Edit]:
    """Line feeds in place of the <br> in each <pre>, and behind the ends of blocks that have none."""
    breaks = np.flatnonzero((tags.name == _BR) | (_LINES[tags.name] & tags.closes))
    for start, end in _contents(tags).tolist():
        first, last = np.searchsorted(tags.start[breaks], (start, end))
        for at in breaks[first:last].tolist():
            after = int(tags.end[at])
            if tags.name[at] == _BR:
                yield Edit(int(tags.start[at]), after, b"\n")
            elif page[after : after + 1] != b"\n":
                yield Edit(after, after, b"\n")


def _contents(tags: PageTags) -> EditRows:
    """The bytes between the tags of each <pre> that is in no other."""
    found = np.empty((tags.start.size, 2), np.int64)
    return found[: _fill(tags, found)]


@kernel
def _fill(tags: PageTags, found: Out[EditRows]) -> Int:
    count: Int = 0
    row: Int = 0
    while row < tags.start.size:
        partner = tags.partner[row]
        if tags.name[row] != _PRE or tags.closes[row] or partner < 0:
            row += 1
            continue
        if not _is_cut_off(tags, row, partner):
            found[count, 0] = tags.end[row]
            found[count, 1] = tags.start[partner]
            count += 1
        row = partner + 1
    return count


@kernel
def _is_cut_off(tags: PageTags, first: Int, last: Int) -> bool:
    """Whether an element around ends between two tags."""
    for row in range(first + 1, last):
        if _ENDS[tags.name[row]] and tags.closes[row] and tags.partner[row] < first:
            return True
    return False

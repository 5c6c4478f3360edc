"""Names of elements that Resiliparse's rules on main content read, where they would delete words of the text.

Resiliparse 2.0.1 drops elements by their class, id, rel, itemprop and aria-expanded: what looks like a share button, an
advert, a log-in, a date. It does so inside a sentence too (`<span class="jp">`, `<a rel="tag">`), it drops headings
whose id is the slug of their own words (`<h2 id="search">`), and quotations (`class="twitter-tweet"`). So these
attributes get other names there. What a class says is hidden stays so.
"""

import re
from collections.abc import Iterator

import numpy as np

from curation.extract.prepare.attribute_names import attribute_names, is_any, next_attribute
from curation.extract.prepare.edits import Edit, EditRows
from curation.extract.prepare.page_tags import INLINE, PageTags, elements
from curation.extract.prepare.sentences import is_in_sentence
from curation.text.html.syntax import read_name
from curation.text.kernels.compiler.kernel import Int, Out, kernel

_WHOLE = elements("h2 h3 h4 h5 h6 blockquote")
NAMED = INLINE | _WHOLE
_BESIDE = INLINE & ~elements("a")  # words of links beside it make no sentence
_SHORTEST = 8  # bytes of a tag with an attribute
_MOST = 5  # names of a tag that are read
_READ = attribute_names("class id rel itemprop aria-expanded")
_HIDDEN = re.compile(rb"(?<![\w-])(?:is-|visually-)?(?:hidden|invisible|display-none)(?![\w-])", re.IGNORECASE)


def misleading_names(page: bytes, tags: PageTags) -> Iterator[Edit]:
    """Other names for attributes of inline elements in sentences, headings and quotations."""
    found = np.empty((_MOST * tags.start.size, 2), np.int64)
    hidden = -1
    for row, place in found[: _fill(tags, found)].tolist():
        if row == hidden or _HIDDEN.search(page, tags.start[row], tags.end[row]):
            hidden = row
        else:
            yield Edit(place, place, b"data-")


@kernel
def _fill(tags: PageTags, found: Out[EditRows]) -> Int:
    """Fill in the row of a start tag and where such an attribute of it begins; returns how many there are."""
    count: Int = 0
    for row in range(tags.start.size):
        name = tags.name[row]
        partner = tags.partner[row]
        if tags.closes[row] or partner < 0 or tags.end[row] - tags.start[row] < _SHORTEST:
            continue
        if not _WHOLE[name] and not (INLINE[name] and is_in_sentence(tags, row, partner, _BESIDE)):
            continue
        _, place = read_name(tags.html, tags.start[row] + 1)
        most = count + _MOST
        while count < most:
            begins, key, place = next_attribute(tags.html, place, tags.end[row])
            if begins < 0:
                break
            if is_any(key, _READ):
                found[count, 0] = row
                found[count, 1] = begins
                count += 1
    return count

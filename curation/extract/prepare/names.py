"""Names of elements that Resiliparse's rules on main content read, where they would delete words of the text.

Resiliparse 2.0.1 drops elements by their class, id, rel, itemprop and aria-expanded: what looks like a share button, an
advert, a log-in, a date. It does so inside a sentence too (`<span class="jp">`, `<a rel="tag">`), it drops headings
whose id is the slug of their own words (`<h2 id="search">`), and quotations (`class="twitter-tweet"`). So these
attributes get other names there. What a class says is hidden stays so.
"""

import re
from collections.abc import Iterator

import numpy as np

from curation.extract.prepare.attribute_names import attribute_names, has_attribute
from curation.extract.prepare.edits import Edit
from curation.extract.prepare.page_tags import INLINE, Int64s, PageTags, elements
from curation.extract.prepare.sentences import is_in_sentence
from curation.text.kernels.compiler.kernel import Int, Out, kernel

_WHOLE = elements("h2 h3 h4 h5 h6 blockquote")
NAMED = INLINE | _WHOLE
_BESIDE = INLINE & ~elements("a")  # words of links beside it make no sentence
_SHORTEST = 8  # bytes of a tag with an attribute
_READ = attribute_names("class id rel itemprop aria-expanded")
_ATTRIBUTE = re.compile(rb"([^\s=\"'<>/]+)\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+)")
_NAMES = frozenset((b"class", b"id", b"rel", b"itemprop", b"aria-expanded"))
_HIDDEN = re.compile(rb"(?<![\w-])(?:is-|visually-)?(?:hidden|invisible|display-none)(?![\w-])", re.IGNORECASE)


def misleading_names(page: bytes, tags: PageTags) -> Iterator[Edit]:
    """Other names for attributes of inline elements in sentences, headings and quotations."""
    found = np.empty(tags.start.size, np.int64)
    for row in found[: _fill(tags, found)].tolist():
        start = int(tags.start[row])
        end = int(tags.end[row])
        if _HIDDEN.search(page, start, end):
            continue
        for attribute in _ATTRIBUTE.finditer(page, start, end):
            if attribute[1].lower() in _NAMES:
                yield Edit(attribute.start(), attribute.start(), b"data-")


@kernel
def _fill(tags: PageTags, found: Out[Int64s]) -> Int:
    """Fill in the rows of such start tags; returns how many."""
    count: Int = 0
    for row in range(tags.start.size):
        name = tags.name[row]
        partner = tags.partner[row]
        if tags.closes[row] or partner < 0 or tags.end[row] - tags.start[row] < _SHORTEST:
            continue
        if (_WHOLE[name] or (INLINE[name] and is_in_sentence(tags, row, partner, _BESIDE))) and has_attribute(
            tags.html, tags.start[row], tags.end[row], _READ
        ):
            found[count] = row
            count += 1
    return count

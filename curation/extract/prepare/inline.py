"""Elements that parsers drop although their words are part of the text: times, labels and buttons in sentences, and
figures that hold quotations, code, tables or lists. They get the name of an element that parsers keep.

`<time>`, `<label>` and `<button>` are part of a sentence if words stand directly before them and words or punctuation
behind, or many words on one side ("Last updated on" are few). Bylines and controls are none.
"""

from collections.abc import Iterator

import numpy as np

from curation.extract.blocks.tags import NUMBER
from curation.extract.prepare.edits import Edit, EditRows
from curation.extract.prepare.page_tags import INLINE, Bools, PageTags, elements
from curation.extract.prepare.sentences import is_in_sentence
from curation.text.kernels.compiler.kernel import Int, Out, kernel

_DROPPED = elements("time label button")
_BESIDE = INLINE | elements("ruby rb")  # may stand between such an element and the words beside it
_CONTENT = elements("blockquote q pre code table ul ol dl")
_FIGURE = NUMBER["figure"]
_CAPTION = NUMBER["figcaption"]
_Q = NUMBER["q"]
_CODE = NUMBER["code"]
_TIME = NUMBER["time"]
_LABEL = NUMBER["label"]
_BUTTON = NUMBER["button"]


def words_in_sentences(page: bytes, tags: PageTags) -> Iterator[Edit]:
    """Times, labels and buttons in sentences become spans."""
    found = np.empty((tags.start.size, 2), np.int64)
    return _renamed(page, found[: _in_sentences(tags, found)], b"span")


def figures_with_text(page: bytes, tags: PageTags) -> Iterator[Edit]:
    """Figures with more than pictures and a caption become divisions."""
    found = np.empty((tags.start.size, 2), np.int64)
    return _renamed(page, found[: _with_text(tags, found)], b"div")


def dropped_by_trafilatura(page: bytes, tags: PageTags) -> Iterator[Edit]:
    """Each <q>, with which Trafilatura 2.3.1 drops the rest of its paragraph, and each <code> in another one become
    spans."""
    paired = tags.partner >= 0
    quotations = np.flatnonzero((tags.name == _Q) & paired)
    code = np.flatnonzero((tags.name == _CODE) & paired)
    closes = tags.closes[code].astype(np.int64)
    around = np.cumsum(1 - 2 * closes) - 1 + closes  # open at each tag, without its own
    for rows, length in ((quotations, 1), (code[around > 0], 4)):
        yield from _renamed(page, np.column_stack([tags.start[rows], np.full(rows.size, length)]), b"span")


def _renamed(page: bytes, tags: EditRows, name: bytes) -> Iterator[Edit]:
    """The element names of tags replaced; attributes stay."""
    for start, old in tags.tolist():
        at = start + 1 + (page[start + 1 : start + 2] == b"/")
        yield Edit(at, at + old, name)


@kernel
def _put(tags: PageTags, row: Int, length: Int, found: Out[EditRows], count: Int) -> Int:
    """Write where both tags of an element start, and the length of its name."""
    found[count, 0] = tags.start[row]
    found[count, 1] = length
    found[count + 1, 0] = tags.start[tags.partner[row]]
    found[count + 1, 1] = length
    return count + 2


@kernel
def _in_sentences(tags: PageTags, found: Out[EditRows]) -> Int:
    """Fill in where tags start and how long their names are; returns how many there are."""
    count: Int = 0
    buttons_end = True  # else the next button's start tag ends one
    for row in range(tags.start.size):
        partner = tags.partner[row]
        name = tags.name[row]
        if name == _BUTTON and partner < 0:
            buttons_end = False
        if name == _BUTTON and not buttons_end:
            continue
        if _DROPPED[name] and not tags.closes[row] and partner >= 0 and is_in_sentence(tags, row, partner, _BESIDE):
            length: Int = 4 if name == _TIME else 5 if name == _LABEL else 6
            count = _put(tags, row, length, found, count)
    return count


@kernel
def _with_text(tags: PageTags, found: Out[EditRows]) -> Int:
    """As `_in_sentences`; linear, because a figure is marked once and its marked outer ones are not visited again."""
    marked: Bools = np.zeros(tags.start.size, np.bool_)
    outer = np.full(tags.start.size, -1, np.int64)
    figure: Int = -1
    captions = 0
    count: Int = 0
    for row in range(tags.start.size):
        name = tags.name[row]
        if name == _FIGURE and tags.partner[row] >= 0:
            if tags.closes[row]:
                figure = outer[tags.partner[row]]
            else:
                outer[row] = figure
                figure = row
        elif name == _CAPTION and tags.partner[row] >= 0:
            captions += -1 if tags.closes[row] else 1
        elif _CONTENT[name] and not captions and not tags.closes[row]:
            around = figure
            while around >= 0 and not marked[around]:
                marked[around] = True
                count = _put(tags, around, 6, found, count)
                around = outer[around]
    return count

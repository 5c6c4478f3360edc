"""Elements that parsers drop although their words are part of the text: times, labels and buttons in sentences, and
figures that hold quotations, code, tables or lists. They get the name of an element that parsers keep.

`<time>`, `<label>` and `<button>` are part of a sentence if words stand directly before or after them in their block,
but for the words of another that is beside them.
"""

from collections.abc import Iterator

import numpy as np

from curation.extract.blocks.tags import NUMBER
from curation.extract.prepare.edits import Edit, EditRows
from curation.extract.prepare.page_tags import INLINE, Bools, PageTags, elements
from curation.text.html.syntax import LESS, Html, skip_comment
from curation.text.kernels.compiler.kernel import Int, Out, kernel

_DROPPED = elements("time label button")
_BESIDE = INLINE | elements("ruby rb")
_CONTENT = elements("blockquote q pre code table ul ol dl")
_FIGURE = NUMBER["figure"]
_CAPTION = NUMBER["figcaption"]
_Q = NUMBER["q"]
_CODE = NUMBER["code"]
_TIME = NUMBER["time"]
_LABEL = NUMBER["label"]
_REACH = 12  # inline tags between an element and the words beside it
_AMPERSAND, _SEMICOLON = b"&;"
_LONGEST = 32  # bytes of a character reference
_IS_WORD = np.zeros(256, np.bool_)
_IS_WORD[[*range(ord("0"), ord("9") + 1), *range(ord("A"), ord("Z") + 1), *range(ord("a"), ord("z") + 1)]] = True
_IS_WORD[0xC3:0xF5] = True  # leads of UTF-8 beyond Latin-1's signs
_PUNCTUATION = b"\xe2\x80"  # dashes, bullets, quotation marks


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
    for row in range(tags.start.size):
        partner = tags.partner[row]
        if not _DROPPED[tags.name[row]] or tags.closes[row] or partner < 0:
            continue
        if _words_before(tags, row) or _words_after(tags, partner):
            length: Int = 4 if tags.name[row] == _TIME else 5 if tags.name[row] == _LABEL else 6
            count = _put(tags, row, length, found, count)
    return count


@kernel
def _words_before(tags: PageTags, row: Int) -> bool:
    for at in range(row, max(row - _REACH, -1), -1):
        before = at - 1
        start = tags.end[before] if at else np.int64(0)
        if _has_words(tags.html, start, tags.start[at]):
            return True
        if not at or not (_BESIDE[tags.name[before]] or (_DROPPED[tags.name[before]] and not tags.closes[before])):
            return False
    return False


@kernel
def _words_after(tags: PageTags, row: Int) -> bool:
    for at in range(row, min(row + _REACH, tags.start.size)):
        last = at + 1 == tags.start.size
        if _has_words(tags.html, tags.end[at], np.int64(len(tags.html)) if last else tags.start[at + 1]):
            return True
        if last or not (_BESIDE[tags.name[at + 1]] or (_DROPPED[tags.name[at + 1]] and tags.closes[at + 1])):
            return False
    return False


@kernel
def _has_words(html: Html, start: Int, stop: Int) -> bool:
    """Whether text between two tags has a letter or digit, beside character references and comments."""
    place = start
    while place < stop:
        byte = html[place]
        if byte == LESS:
            place = skip_comment(html, place)
            continue
        if byte == _AMPERSAND:
            place = _after_reference(html, place, stop)
            continue
        if byte == _PUNCTUATION[0] and place + 1 < stop and html[place + 1] == _PUNCTUATION[1]:
            place += 3
            continue
        if _IS_WORD[byte]:
            return True
        place += 1
    return False


@kernel
def _after_reference(html: Html, start: Int, stop: Int) -> Int:
    for place in range(start, min(start + _LONGEST, stop)):
        if html[place] == _SEMICOLON:
            return place + 1
    return start + 1


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

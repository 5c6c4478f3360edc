"""Whether an element stands in a sentence, by the text directly beside it."""

import numpy as np

from curation.extract.prepare.page_tags import Bools, PageTags, elements
from curation.text.html.syntax import LESS, Html, skip_comment
from curation.text.kernels.compiler.kernel import Int, kernel

_AROUND = elements("time label button")  # may enclose one another
_REACH = 12  # inline tags between an element and the words beside it
_AMPERSAND, _SEMICOLON = b"&;"
_LONGEST = 32  # bytes of a character reference
_ENOUGH = 20  # letters on one side that make a sentence; "Last updated on" is none
_WORTH = np.zeros(256, np.int64)  # letters that a byte stands for
_WORTH[[*range(ord("0"), ord("9") + 1), *range(ord("A"), ord("Z") + 1), *range(ord("a"), ord("z") + 1)]] = 1
_WORTH[0xC3:0xF5] = 1  # leads of UTF-8 beyond Latin-1's signs
_WORTH[0xE3:0xEE] = 3  # a character of Chinese, Japanese or Korean
_GOES_ON = np.zeros(256, np.bool_)
_GOES_ON[[*b".,;:!?)", 0xEF]] = True  # or a full-width form
_WIDE_MARK = b"\xe3\x80"  # such as the ideographic full stop
_PUNCTUATION = b"\xe2\x80"  # dashes, bullets, quotation marks


@kernel
def is_in_sentence(tags: PageTags, first: Int, last: Int, beside: Bools) -> bool:
    """Whether an element, by the rows of its tags, is part of a sentence: words stand directly before it and words or
    punctuation behind, or many words on one side. Tags of the elements in `beside`, bool[E], may stand between."""
    words_before = _letters_before(tags, first, beside)
    words_after = _letters_after(tags, last, beside)
    if max(words_before, words_after) >= _ENOUGH:
        return True
    return bool(words_before > 0 and (words_after > 0 or _goes_on(tags, last, beside)))


@kernel
def _letters_before(tags: PageTags, row: Int, beside: Bools) -> Int:
    """Letters of the text directly before a tag, up to the next tag of a block."""
    letters: Int = 0
    for at in range(row, max(row - _REACH, -1), -1):
        before = at - 1
        letters += _letters(tags.html, tags.end[before] if at else np.int64(0), tags.start[at])
        if not at or not (beside[tags.name[before]] or (_AROUND[tags.name[before]] and not tags.closes[before])):
            break
    return letters


@kernel
def _letters_after(tags: PageTags, row: Int, beside: Bools) -> Int:
    letters: Int = 0
    for at in range(row, min(row + _REACH, tags.start.size)):
        last = at + 1 == tags.start.size
        letters += _letters(tags.html, tags.end[at], np.int64(len(tags.html)) if last else tags.start[at + 1])
        if last or not (beside[tags.name[at + 1]] or (_AROUND[tags.name[at + 1]] and tags.closes[at + 1])):
            break
    return letters


@kernel
def _goes_on(tags: PageTags, row: Int, beside: Bools) -> bool:
    """Whether a mark of punctuation stands behind a tag and the ends of inline elements."""
    html = tags.html
    for at in range(row, min(row + _REACH, tags.start.size)):
        place = tags.end[at]
        if place >= len(html):
            return False
        if html[place] != LESS:
            wide = html[place] == _WIDE_MARK[0] and place + 1 < len(html) and html[place + 1] == _WIDE_MARK[1]
            return bool(_GOES_ON[html[place]] or wide)
        if at + 1 == tags.start.size or not (beside[tags.name[at + 1]] and tags.closes[at + 1]):
            return False
    return False


@kernel
def _letters(html: Html, start: Int, stop: Int) -> Int:
    """Letters and digits of the text between two tags, without character references and comments, up to `_ENOUGH`."""
    letters: Int = 0
    place = start
    while place < stop and letters < _ENOUGH:
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
        letters += _WORTH[byte]
        place += 1
    return letters


@kernel
def _after_reference(html: Html, start: Int, stop: Int) -> Int:
    for place in range(start, min(start + _LONGEST, stop)):
        if html[place] == _SEMICOLON:
            return place + 1
    return start + 1

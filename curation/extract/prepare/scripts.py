"""Superscripts and the readings of ruby in a page's markup.

Superscripts are written by the rule of `curation.text.html.superscripts`: 10^6, 21st, and footnote marks not at all.
Of ruby the base text stays and the readings go, which would run into the words (水車すいしゃ).
"""

import html
import re
from collections.abc import Iterator

import numpy as np

from curation.extract.blocks.tags import NUMBER
from curation.extract.declared import attributes
from curation.extract.prepare.edits import Edit
from curation.extract.prepare.page_tags import INLINE, PageTags, elements
from curation.text.html.superscripts import superscript

_SUP = NUMBER["sup"]
_A = NUMBER["a"]
_RUBY = NUMBER["ruby"]
_READINGS = elements("rt rp rtc")
_ENDS_READING = elements("rt rp rtc rb ruby")
_LONGEST = 2_000  # bytes of a superscript
_BEFORE = 400  # bytes of markup that hold the word before it
_AFTER = 12
_MAX_WITHIN = 8  # superscripts within superscripts
_NOTE = re.compile(r"^#|#.{0,20}(?:cite|note|ref|fn)", re.IGNORECASE)
_TAG = re.compile(rb"<!--.*?-->|<[^<>]*>", re.DOTALL)
_BREAK = re.compile(
    rb"<(?:!--|/?(?!(?:a|abbr|b|big|cite|code|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|tt|u|var|wbr)\b)"
    rb"[a-zA-Z])[^<>]*>",
    re.IGNORECASE,
)


def written_superscripts(page: bytes, tags: PageTags) -> Iterator[Edit]:
    """Replaces by text each <sup> that holds nothing but inline elements and text."""
    written = -1  # rows up to this one are in a superscript that is written
    for at in np.flatnonzero((tags.name == _SUP) & ~tags.closes & (tags.partner >= 0)).tolist():
        partner = int(tags.partner[at])
        if at < written:
            continue
        end = int(tags.end[at])
        stop = int(tags.start[partner])
        inside = tags.name[at + 1 : partner]
        if stop - end > _LONGEST or not INLINE[inside].all():
            continue
        content = _content(page, tags, at)
        if content.strip():
            written = partner
            links = at + 1 + np.flatnonzero((inside == _A) & ~tags.closes[at + 1 : partner])
            linked = any(_is_local(page[tags.start[link] : tags.end[link]]) for link in links)
            start = int(tags.start[at])
            after = int(tags.end[partner])
            text = superscript(_before(page, start), content, linked=linked, after=_after(page, after))
            yield Edit(start, after, html.escape(text, quote=False).encode())


def without_readings(page: bytes, tags: PageTags) -> Iterator[Edit]:
    """Removes the readings of ruby and the parentheses around them."""
    ruby = np.flatnonzero(tags.name == _RUBY)
    readings = np.flatnonzero(_READINGS[tags.name] & ~tags.closes)
    before = np.searchsorted(ruby, readings) - 1  # the last tag of ruby before each
    inside = (
        (before >= 0) & ~tags.closes[ruby[np.maximum(before, 0)]] if ruby.size else np.zeros(readings.size, np.bool_)
    )
    for at in readings[inside].tolist():
        end = at + 1
        while end < tags.start.size and INLINE[tags.name[end]]:
            end += 1
        if end < tags.start.size and _ENDS_READING[tags.name[end]]:
            closes = tags.closes[end] and tags.name[end] == tags.name[at]
            yield Edit(int(tags.start[at]), int(tags.end[end] if closes else tags.start[end]), b"")


def _content(page: bytes, tags: PageTags, at: int, level: int = 1) -> str:
    """The text in a superscript, with those within it written."""
    text = ""
    done = int(tags.end[at])
    stop = int(tags.partner[at])
    row = at + 1
    while row < stop and level < _MAX_WITHIN:
        partner = int(tags.partner[row])
        if tags.name[row] == _SUP and row < partner < stop:
            text += _text(page[done : tags.start[row]])
            inner = _content(page, tags, row, level + 1)
            done = int(tags.end[partner])
            text += superscript(text, inner, linked=False, after=_after(page, done)) if inner.strip() else inner
            row = partner
        row += 1
    return text + _text(page[done : tags.start[stop]])


def _is_local(tag: bytes) -> bool:
    """Whether a link leads to a place in its page, or to what is called a note in a page."""
    return _NOTE.search(attributes(tag).get("href", "")) is not None


def _text(markup: bytes) -> str:
    return html.unescape(_TAG.sub(b"", markup).decode("utf-8", "replace"))


def _before(page: bytes, start: int) -> str:
    """The text before a position in its block, as far as `_BEFORE` bytes reach."""
    markup = page[max(0, start - _BEFORE) : start]
    tag_end = markup.find(b">")
    if 0 <= tag_end < (markup.find(b"<") + 1 or len(markup)):  # it begins within a tag
        markup = markup[tag_end + 1 :]
    block = max((match.end() for match in _BREAK.finditer(markup)), default=0)
    return _text(markup[block:])


def _after(page: bytes, end: int) -> str:
    return html.unescape(page[end : end + _AFTER].decode("utf-8", "replace"))

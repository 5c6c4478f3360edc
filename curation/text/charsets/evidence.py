"""The text of a page that shows its encoding: without markup, style and script, and cut evenly to a few kilobytes.

Style and script are mostly ASCII in English, whatever language the page is in, so a detector must not read them. Bytes
are read before their encoding is known: "<", "&" and the line feed are in no second byte of a multi-byte encoding of
the web, except ISO 2022, whose pages are ASCII and not judged here.
"""

import re

import numpy as np

from curation.text.html.syntax import (
    CLASS,
    LETTER,
    SLASH,
    SPACE,
    Html,
    begins_tag,
    name_hash,
    read_attributes,
    read_name,
    skip_comment,
    skip_raw,
    skip_text,
)
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Int, Out, kernel

TELLING_BYTES = 8192  # of lines with bytes beyond ASCII
CONTEXT_BYTES = 512  # of other lines: enough to say that a lone sign stands in English, not to outweigh a title
# Of the bytes in lines with any beyond ASCII: from this share on in runs of these, the lines are in another script than
# Latin, and lines in English beside them would mislead the detector.
MAX_IN_CONTEXT = 0.25
LEAST_CUT = 256  # bytes of a line, at least, where not all lines fit
MAX_OVER = 4096  # bytes that a cut may move to reach an end of characters
# A detector would believe a declaration that was refused.
LABEL = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?[-\w:. ]{1,40}", re.IGNORECASE)

_SCRIPT = name_hash("script")
_STYLE = name_hash("style")
_AMPERSAND, _SEMICOLON, _NUMBER = b"&;#"
_LINE_FEED, _RETURN = b"\n\r"
_BLANK = 32
_REFERENCE = 10  # characters between "&" and ";"
_FOREIGN_WORD = re.compile(rb"[\x80-\xff]{3,}")
_VALUES = bytes.maketrans(b"<>\"'", b"\n" * 4)
_ALL_ENCODINGS_END = 0x30  # a byte below it ends a character, whatever the encoding


def visible(page: bytes) -> bytes:
    """The text of a page in any encoding that includes ASCII; a line feed stands for markup, a space for a character
    reference. If nothing but ASCII is visible, the whole page, with line feeds around values of attributes."""
    out = np.empty(len(page), np.uint8)
    text = out[: _copy_text(np.frombuffer(page, np.uint8), out)].tobytes()
    return page.translate(_VALUES) if text.isascii() else text


def sample(text: bytes) -> bytes:
    """At most about TELLING_BYTES + CONTEXT_BYTES of a text: lines, or the beginnings of lines, from all of it. Lines
    with bytes beyond ASCII come first. Shorter texts keep every line. Declarations are left out."""
    data = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero((data == _LINE_FEED) | (data == _RETURN))
    starts = np.append(0, ends + 1)
    stops = np.append(ends, len(data))
    filled = starts < stops
    starts = starts[filled]
    stops = stops[filled]
    telling = np.logical_or.reduceat(data >= 0x80, starts) if len(starts) else starts > 0
    lines = _cut(data, starts[telling], stops[telling], TELLING_BYTES)
    if sum(map(len, _FOREIGN_WORD.findall(lines))) < MAX_IN_CONTEXT * len(lines):
        lines += _cut(data, starts[~telling], stops[~telling], CONTEXT_BYTES)
    return LABEL.sub(b"", lines)


def _cut(text: Bytes, starts: Indices, stops: Indices, budget: int) -> bytes:
    """Beginnings of lines of a text, from every n-th line, so that they have about `budget` bytes in all."""
    longest = max(LEAST_CUT, budget // max(1, len(starts)))
    sizes = stops - starts
    if sizes.sum() > budget:
        step = -(-int(np.minimum(sizes, longest).sum()) // budget)
        starts, stops = starts[::step].copy(), stops[::step].copy()
    else:
        longest = budget
    out = np.empty(int(np.minimum(stops - starts, longest + MAX_OVER).sum()) + len(starts), np.uint8)
    return out[: _copy_lines(text, starts, stops, longest, out)].tobytes()


@kernel
def _copy_lines(text: Bytes, starts: Indices, stops: Indices, longest: int, out: Out[Bytes]) -> Int:
    """Write the beginnings of lines to `out`, each cut at the end of a character. Returns their length."""
    size: Int = 0
    for line in range(len(starts)):
        stop = np.int64(min(stops[line], starts[line] + longest))
        over = np.int64(min(stops[line], stop + MAX_OVER))
        while stop < over and text[stop] >= _ALL_ENCODINGS_END:
            stop += 1
        for place in range(starts[line], stop):
            out[size] = text[place]
            size += 1
        out[size] = _LINE_FEED
        size += 1
    return size


@kernel
def _copy_text(html: Html, out: Out[Bytes]) -> Int:
    """Write the visible text of a page to `out`, which is as long as the page. Returns its length."""
    size: Int = 0
    place: Int = 0
    while place < len(html):
        end = skip_text(html, place)
        size = _copy_run(html, place, end, out, size)
        if end >= len(html):
            break
        place = _after_markup(html, end)
        if size > 0 and CLASS[out[size - 1]] & SPACE:
            size -= 1
        out[size] = _LINE_FEED
        size += 1
    return size


@kernel
def _copy_run(html: Html, start: Int, stop: Int, out: Out[Bytes], size: Int) -> Int:
    """Write a run of text from out[size] on, without references and repeated spaces. Returns where it ends."""
    place = start
    while place < stop:
        byte = html[place]
        place += 1
        if byte == _AMPERSAND:
            end = _reference_end(html, place, stop)
            if end > place:
                place = end
                byte = np.uint8(_BLANK)
        if CLASS[byte] & SPACE and size > 0 and CLASS[out[size - 1]] & SPACE:
            continue
        out[size] = byte
        size += 1
    return size


@kernel
def _reference_end(html: Html, start: Int, stop: Int) -> Int:
    """Place after the character reference whose name begins at `start`; `start` if there is none."""
    place = start
    while place < min(stop, start + _REFERENCE):
        byte = html[place]
        if byte == _SEMICOLON and place > start:
            return place + 1
        if not (CLASS[byte] & LETTER or 48 <= byte <= 57 or byte == _NUMBER):
            return start
        place += 1
    return start


@kernel
def _after_markup(html: Html, start: Int) -> Int:
    """Place after the tag, with the content of a script or style, or after the comment at `start`."""
    if not begins_tag(html, start):
        return skip_comment(html, start)
    ends = html[start + 1] == SLASH
    name, place = read_name(html, start + 1 + ends)
    _, _, place = read_attributes(html, place)
    if not ends and name in (_SCRIPT, _STYLE):
        return skip_raw(html, place, name)
    return place

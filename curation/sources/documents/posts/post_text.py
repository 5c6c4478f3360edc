"""The text of a post in HTML, as Stack Exchange stores it: blocks with Markdown's marks, code as it is.

Code blocks stand between fences of backticks, longer than any in them. Formulas are in the text between dollars, where
their authors wrote them, and stay so. A table's row is a block of its own, with bars between its cells.
"""

import re
from collections.abc import Sequence
from inspect import unwrap
from itertools import pairwise

import numpy as np

from curation.sources.documents.posts import post_marks as marks
from curation.sources.documents.posts.post_marks import (
    Post,
    before_text,
    begin_post,
    close_container,
    end_block,
    end_code,
    new_post,
    open_container,
    put_code,
    put_mark,
)
from curation.text.html.inline_marks import resolved
from curation.text.html.inline_markup import marked, may_need_marks
from curation.text.html.references import NOTHING, reference
from curation.text.html.syntax import (
    SLASH,
    Html,
    begins_tag,
    name_hash,
    read_attributes,
    read_name,
    skip_comment,
    skip_text,
)
from curation.text.kernels.buffers import Indices, offsets_of, text_array
from curation.text.kernels.compiler.kernel import Int, kernel
from curation.text.kernels.hash_table import find_slot, table_size
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.unicode import SPACE as WHITE
from curation.text.kernels.unicode import Classes, class_of, classes, decode, encode

_AMPERSAND, _BAR = b"&|"
_PICTURE = re.compile(r"""<img\s[^<>]*?(?<=\s)alt=("[^"<]*"|'[^'<]*')""")
# What the site's editor writes for a picture or a link until its author does, and before a question that was closed.
_UNWRITTEN = ("enter image description here", "alt text")
_DUPLICATE = "<blockquote>\n  <p><strong>Possible Duplicate:</strong>"
_QUOTE_END = "</blockquote>"
# Kinds of tags, headings by their levels; others stand in a line and leave nothing.
_KINDS = "h1,h2,h3,h4,h5,h6,p div hr dl dt dd,table thead tbody,tr,td th,pre,ul,ol,li,blockquote,br,code".split(",")
_NONE = 0
_HEADED, _BLOCK, _TABLE, _ROW, _CELL, _PRE, _BULLETS, _NUMBERED, _ITEM, _QUOTED, _BR, _CODE, _IMG = range(6, 19)
# Bytes that stay as they are: in text those of no white space and no references, and in code.
_PLAIN = np.ones((2, 256), np.bool_)
_PLAIN[0, [*range(33), _AMPERSAND, 0xC2, 0xE1, 0xE2, 0xE3]] = False
_PLAIN[1, [_AMPERSAND, marks.NEWLINE, marks.TICK]] = False


def _table() -> tuple[Hashes, Indices]:
    """Keys of the names of tags, and the kind of each."""
    kinds = {name_hash(name): kind for kind, names in enumerate(_KINDS, 1) for name in names.split()}
    size = unwrap(table_size)(len(kinds))
    keys = np.zeros(size, np.uint64)
    values = np.zeros(size, np.int64)
    for key, kind in kinds.items():
        slot = unwrap(find_slot)(keys, key, int(key) % size)
        keys[slot] = key
        values[slot] = kind
    return keys, values


_KEYS, _KIND_OF = _table()


def post_texts(bodies: Sequence[str]) -> list[bytes]:
    """Of each post its blocks with blank lines between them, in UTF-8; nothing for a post without text."""
    encoded = [_written(body).encode() for body in bodies]
    changed = _mark(encoded)
    html = np.frombuffer(b"".join(encoded), np.uint8)
    post = new_post(len(html))
    ends = _write_all(html, _offsets(encoded), post, classes()).tolist()
    texts = post.out[: ends[-1]].tobytes()
    found = [texts[start:end] for start, end in pairwise(ends)]
    for number in changed:
        found[number] = resolved(found[number].decode()).encode()
    return found


def _offsets(encoded: list[bytes]) -> Indices:
    return offsets_of(np.array([len(body) for body in encoded], np.int64))


def _mark(encoded: list[bytes]) -> list[int]:
    """Put marks into posts that have markup with a meaning; returns their numbers."""
    bodies = text_array(np.frombuffer(b"".join(encoded), np.uint8), _offsets(encoded))
    changed = []
    for number in may_need_marks(bodies):
        body = encoded[number].decode()
        with_marks = marked(body)
        if with_marks is not body:
            encoded[number] = with_marks.encode()
            changed.append(number)
    return changed


def _written(body: str) -> str:
    """What the author wrote, with the words of pictures before them."""
    body = body.replace("\r\n", "\n")
    if body.startswith(_DUPLICATE) and _QUOTE_END in body:
        body = body.partition(_QUOTE_END)[2]
    if "<img" in body:
        body = _PICTURE.sub(_words, body)
    return body.replace(">enter link description here</a>", "></a>")


def _words(picture: re.Match[str]) -> str:
    words = picture[1][1:-1]
    return f"{'' if words.strip() in _UNWRITTEN else words}<img "


@kernel
def _write_all(html: Html, offsets: Indices, post: Post, table: Classes) -> Indices:
    """int64[N + 1]: where the texts end that are written, one after the other; 0 before them."""
    ends = np.zeros(offsets.size, np.int64)
    for number in range(offsets.size - 1):
        begin_post(post)
        ends[number + 1] = _write(html[offsets[number] : offsets[number + 1]], post, table)
    return ends


@kernel
def _write(html: Html, post: Post, table: Classes) -> Int:
    """Where the text of the post ends."""
    place: Int = 0
    while place < len(html):
        end = skip_text(html, place)
        if end > place:
            _write_text(html, place, end, post, table)
            place = end
        elif begins_tag(html, place):
            place = _read_tag(html, place, post)
        else:
            place = skip_comment(html, place)
    if post.state[marks.PRE]:
        end_code(post)
    end_block(post)
    stop: Int = post.state[marks.TO]
    return stop


@kernel
def _write_text(html: Html, start: Int, stop: Int, post: Post, table: Classes) -> None:
    """The run of text html[start:stop], character references resolved, and white space folded but for code."""
    state = post.state
    pre = state[marks.PRE]
    place = start
    while place < stop:
        if _PLAIN[pre, html[place]] and (not pre or state[marks.FENCE]):
            if not pre:
                before_text(post)
            to: Int = state[marks.TO]
            while place < stop:
                between = html[place] == marks.SPACE and place + 1 < stop and _PLAIN[pre, html[place + 1]]
                if not _PLAIN[pre, html[place]] and not between:
                    break
                post.out[to] = html[place]
                to += 1
                place += 1
            state[marks.TO] = state[marks.SOLID] = to
            state[marks.RUN] = 0
        elif html[place] == _AMPERSAND:
            code, second, place = reference(html, place, stop)
            _write_character(post, code, table)
            _write_character(post, second, table)
        else:
            code, size = decode(html, place, stop)
            _write_character(post, code, table)
            place += size


@kernel
def _write_character(post: Post, code: Int, table: Classes) -> None:
    """White space that is none to HTML is kept within a line."""
    state = post.state
    if code == NOTHING:
        return
    if state[marks.PRE]:
        put_code(post, code)
        return
    blank = class_of(table, code) & WHITE
    if blank and (code < 33 or state[marks.BREAKS] or not state[marks.IN_LINE]):
        state[marks.BLANK] = 1
        return
    before_text(post)
    state[marks.TO] = encode(post.out, state[marks.TO], code)
    if not blank:
        state[marks.SOLID] = state[marks.TO]


@kernel
def _read_tag(html: Html, start: Int, post: Post) -> Int:
    """The start or end tag at `start`; returns the place after it."""
    state = post.state
    ends = html[start + 1] == SLASH
    name, place = read_name(html, start + 1 + ends)
    _, _, place = read_attributes(html, place)
    if place > len(html):
        return len(html)  # an unfinished tag is none
    kind = _KIND_OF[find_slot(_KEYS, name, np.int64(name) & (_KEYS.size - 1))]
    if state[marks.PRE]:
        if kind == _PRE and ends:
            end_code(post)
        elif kind == _BR:
            put_code(post, marks.NEWLINE)
    elif kind == _CODE:
        put_mark(post, marks.TICK)
    elif kind in (_TABLE, _ROW, _CELL):
        _read_table(post, kind, ends)
    elif state[marks.ROW] and (kind != _PRE or ends):
        state[marks.BLANK] |= kind != _NONE
    elif kind == _BR:
        state[marks.BREAKS] += state[marks.IN_LINE]
    elif kind != _NONE:
        _read_block(post, kind, ends)
    return place


@kernel
def _read_table(post: Post, kind: Int, ends: Int) -> None:
    state = post.state
    if kind != _CELL or not state[marks.ROW]:
        end_block(post)
        state[marks.ROW] = kind == _ROW and not ends
    elif not ends:
        state[marks.BLANK] = 1
        if state[marks.ROW] > 1 or state[marks.IN_LINE]:
            put_mark(post, _BAR)
            state[marks.BLANK] = 1
        state[marks.ROW] = 2


@kernel
def _read_block(post: Post, kind: Int, ends: Int) -> None:
    end_block(post)
    if kind == _BLOCK:
        return
    if kind == _PRE:
        post.state[marks.PRE] = not ends
        post.state[marks.ROW] = min(post.state[marks.ROW], 1)  # what follows in a row begins a line
        return
    container = marks.LIST
    if kind <= _HEADED:
        container = marks.HEADING
    elif kind == _QUOTED:
        container = marks.QUOTE
    elif kind == _ITEM:
        container = marks.ITEM
    if ends:
        close_container(post, container)
    else:
        open_container(post, container, -1 if kind == _BULLETS else 0 if kind == _NUMBERED else kind)

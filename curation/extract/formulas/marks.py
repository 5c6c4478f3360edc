"""Whether a page can hold formulas, and where the tags are that can hold them: two passes over its bytes.

Nearly no page has a formula, so the first pass must cost next to nothing: it compares 64 bytes at a time.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from curation.extract.nesting import RAW, flags_of
from curation.text.html.syntax import (
    CLASS,
    LESS,
    LETTER,
    LOWER,
    SLASH,
    Html,
    name_hash,
    read_attributes,
    read_name,
    skip_comment,
    skip_raw,
    skip_text,
)
from curation.text.kernels.blocks import BLOCK, REACH, window
from curation.text.kernels.compiler.instructions import equal, lowest
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel

# kinds of marks
ELEMENT = 1
SCRIPT = 2
LOADER = 4
IMAGE = 8

NAMES = ("math", "mml:math", "m:math", "script", "img", "span", "div", "mjx-container")
# indices of NAMES
MATH = (0, 1, 2)
SCRIPTS = 3
IMG = 4
BOX = (5, 6, 7)
START, END, NAME, CLOSES, PARTNER = range(5)  # columns of tags

Tags: TypeAlias = npt.NDArray[np.int64]


def _word(letters: str) -> Html:
    return np.frombuffer(letters.encode(), np.uint8)


_MATH = _word("math")
_SLASH_TEX = _word("/tex")
_JAX = _word("jax")
_TEX = _word("tex")
# the last is in translateX
_KATEX = _word("katex")
_LATEX = _word("latex")
_SLATEX = _word("slatex")
_MATHTEX = _word("mathtex")
_MIMETEX = _word("mimetex")
_TEXT = _word("text")
_ENDS_WORD = np.zeros(256, np.bool_)
_ENDS_WORD[list(b" \t\n\f\r>/-_'\"")] = True
_A, _E, _M, _T, _X = b"aemtx"
_COLON, _QUOTE, _APOSTROPHE, _EQUALS = b":\"'="
_HASHES = np.array([name_hash(name) for name in NAMES], np.uint64)


def marks(page: bytes) -> int:
    """The kinds of marks in a page, added up; 0 for a page that holds no formula."""
    return int(_marks(np.frombuffer(page, np.uint8)))


def tags(page: bytes) -> Tags:
    """int64[N, 5]: the tags of a page whose names are in NAMES, in order.

    Columns: where the tag starts and ends, its name's index, 1 for an end tag, and the row of its partner, -1 if it has
    none. Tags in comments and in the text of scripts and the like are left out.
    """
    html = np.frombuffer(page, np.uint8)
    found = np.empty((int(np.count_nonzero(html == LESS)), 5), np.int64)
    rows: Tags = found[: _tags(html, found)]
    return rows


@kernel
def _marks(html: Html) -> Int:
    pad = np.zeros(REACH, np.uint8)
    kinds: Int = 0
    for start in range(0, len(html), BLOCK):
        address = window(html, start, pad)
        second = _either(address + np.uint64(1), _A) | _either(address + np.uint64(1), _E)
        bits = second & (
            _either(address, _M) & _either(address + np.uint64(2), _T)
            | _either(address, _T) & _either(address + np.uint64(2), _X)
        )
        while bits:
            kinds |= _kind(html, start + lowest(bits))
            bits &= bits - np.uint64(1)
    return kinds


@kernel
def _either(address: np.uint64, letter: Int) -> np.uint64:
    """Which of the 64 bytes at an address are a letter, small or capital."""
    return equal(address, letter) | equal(address, letter - 0x20)


@kernel
def _kind(html: Html, at: Int) -> Int:
    """The kind of the mark that holds "math" or "tex" at a place, if it does."""
    if _reads(html, at, _MATH):
        after = at + 4
        if _reads(html, after, _SLASH_TEX):
            return SCRIPT
        if _reads(html, after, _JAX):
            return LOADER
        ends = after == len(html) or _ENDS_WORD[html[after]]
        if ends and at and (html[at - 1] == LESS or html[at - 1] == _COLON):
            return ELEMENT
        return IMAGE if ends and _begins_value(html, at) else 0
    if not _reads(html, at, _TEX) or _reads(html, at, _TEXT):
        return 0
    if _reads(html, at - 2, _KATEX):
        return LOADER
    if _reads(html, at - 2, _LATEX):
        return 0 if _reads(html, at - 3, _SLATEX) else IMAGE
    if _reads(html, at - 4, _MATHTEX) or _reads(html, at - 4, _MIMETEX):
        return IMAGE
    ends = at + 3 == len(html) or _ENDS_WORD[html[at + 3]]
    return IMAGE if ends and _begins_value(html, at) else 0


@kernel
def _begins_value(html: Html, at: Int) -> bool:
    """Whether an attribute's quoted value begins at a place."""
    quoted = at > 1 and (html[at - 1] == _QUOTE or html[at - 1] == _APOSTROPHE)
    return bool(quoted and html[at - 2] == _EQUALS)


@kernel
def _reads(html: Html, at: Int, word: Html) -> bool:
    """Whether a word in small letters stands at a place, in either case."""
    if at < 0 or at + len(word) > len(html):
        return False
    for k in range(len(word)):  # noqa: SIM110  a generator does not compile
        if LOWER[html[at + k]] != word[k]:
            return False
    return True


@kernel
def _tags(html: Html, found: Out[Grid[npt.NDArray[np.int64]]]) -> Int:
    """Fill in the tags; returns how many."""
    rows: Int = 0
    innermost = np.full(len(_HASHES), -1, np.int64)  # the last open tag of each name
    place: Int = 0
    while place < len(html):
        place = skip_text(html, place)
        closes = np.int64(place + 1 < len(html) and html[place + 1] == SLASH)
        name_start = place + 1 + closes
        if name_start >= len(html):
            break
        if not CLASS[html[name_start]] & LETTER:
            place = skip_comment(html, place)
            continue
        name, name_end = read_name(html, name_start)
        _, closed, end = read_attributes(html, name_end)
        if end > len(html):
            break
        for index in range(len(_HASHES)):
            if _HASHES[index] == name:
                found[rows, START] = place
                found[rows, END] = end
                found[rows, NAME] = index
                found[rows, CLOSES] = closes
                found[rows, PARTNER] = -1
                opened = innermost[index]
                if not closes and index != IMG and not closed:
                    found[rows, PARTNER] = opened  # until its end tag is found
                    innermost[index] = rows
                elif closes and opened >= 0:
                    innermost[index] = found[opened, PARTNER]
                    found[opened, PARTNER] = rows
                    found[rows, PARTNER] = opened
                rows += 1
        place = skip_raw(html, end, name) if flags_of(name) & RAW and not closes else end
    for index in range(len(_HASHES)):
        opened = innermost[index]
        while opened >= 0:
            outer = found[opened, PARTNER]
            found[opened, PARTNER] = -1
            opened = outer
    return rows

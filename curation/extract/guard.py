"""Guards short runs of text from Resiliparse, which takes them for icons.

Resiliparse 2.0.1, asked for the main content, drops every run of text between two tags that is, without ASCII's white
space around it, three bytes long in UTF-8 and ends outside ASCII ("≠", "的", "—", "x²", "aé"), in blocks and inline: of
`a <b>≠</b> 0` "a 0" is left. It means the icons of fonts, which have code points of the private use area, but compares
their bytes as a number whose highest byte is the last one. So this is undone for all but those icons, and the pilcrow
of a heading's link, which it drops on purpose.

A run that could be dropped gets a mark behind it, and is then too long. The parser's text is taken without it, wherever
it stood: it does no harm in scripts and attributes, so that no markup needs to be read here.
"""

import html
import re
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from curation.extract.marks import GUARD
from curation.text.html.syntax import Html
from curation.text.kernels.blocks import BLOCK, REACH, window
from curation.text.kernels.compiler.instructions import below, equal, lowest
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel

_MARK = GUARD.encode()
_SHORT = 3  # bytes
_LONGEST = 64  # bytes of a run with character references; longer ones with leading zeros are not guarded
_ICON = re.compile("[\ue000-\uf8ff\u00b6]")
_LESS, _MORE, _AMPERSAND, _SEMICOLON = b"<>&;"
_SPACE = np.zeros(256, np.bool_)
_SPACE[list(b" \t\n\v\f\r")] = True


def guarded(page: bytes) -> bytes:
    """A page in UTF-8 with GUARD behind each run of text of three bytes that ends outside ASCII and is no icon."""
    html = np.frombuffer(page, np.uint8)
    found = np.empty((int(np.count_nonzero(html == _LESS)) + 1, 2), np.int64)
    pieces: list[bytes] = []
    done = 0
    for start, end in found[: _short_runs(html, found)].tolist():
        if _would_be_dropped(page[start:end]):
            pieces += page[done:end], _MARK
            done = end
    return b"".join([*pieces, page[done:]]) if pieces else page


@lru_cache(maxsize=4096)
def _would_be_dropped(run: bytes) -> bool:
    """Whether a run of text, with character references, is short and no icon."""
    text = html.unescape(run.decode("utf-8", "replace")).strip(" \t\n\v\f\r")
    return len(text.encode("utf-8", "replace")) == _SHORT and text[-1] > "\x7f" and not _ICON.fullmatch(text)


@kernel
def _short_runs(html: Html, found: Out[Grid[npt.NDArray[np.int64]]]) -> Int:
    """Fill in where short runs of text start and end, without the white space around; returns how many there are."""
    rows: Int = 0
    pad = np.zeros(REACH, np.uint8)
    for start in range(0, len(html), BLOCK):
        last = window(html, start, pad)
        ends = ~below(last, 0x80) | equal(last, _SEMICOLON) | below(last, 0x21)  # or white space
        bits = ends & equal(last + np.uint64(1), _LESS)
        while bits:
            rows += _short_run(html, start + lowest(bits) + 1, found, rows)
            bits &= bits - np.uint64(1)
    return rows + _short_run(html, len(html), found, rows)


@kernel
def _short_run(html: Html, stop: Int, found: Out[Grid[npt.NDArray[np.int64]]], row: Int) -> Int:
    """1, and the run that ends at `stop` in found[row], if it is short; else 0."""
    end = stop
    while end and _SPACE[html[end - 1]]:
        end -= 1
    if not end or (html[end - 1] < 0x80 and html[end - 1] != _SEMICOLON):
        return 0
    place = end
    start = end
    references = False
    while place and html[place - 1] != _MORE:
        place -= 1
        references |= html[place] == _AMPERSAND
        if not _SPACE[html[place]]:
            start = place
        if end - start > _LONGEST:
            return 0
    if end - start != _SHORT and not references:
        return 0
    found[row, 0] = start
    found[row, 1] = end
    return 1

"""Anchors of patterns in texts, runs of digits or of a sign, and how far around them a match may reach.

R runs, found over Arrow buffers. A character is a digit, a word character or whitespace where the module `regex`,
which Presidio's recognizers use, says so.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt
import regex

from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel
from curation.text.kernels.unicode import Classes, class_of, decode, last_character, two_stage
from curation.text.patterns.shape import DIGITS, UNBOUNDED

DIGIT = 1
WORD = 2
SPACE = 4
_ANCHOR = 1
_DECODE = 2
_BYTES_PER_RUN = 64  # fewer are rare; then the runs are counted first
# Where a match may reach up to whitespace, no window reaches further than this: an address of 50 MB is none.
FARTHEST = 1000  # characters


@lru_cache
def classes() -> Classes:
    """The two-stage table of DIGIT, WORD and SPACE, for `class_of`."""
    everything = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    flags: dict[str, int] = {}
    for pattern, flag in ((r"\d", DIGIT), (r"\w", WORD), (r"\s", SPACE)):
        for char in regex.findall(pattern, everything):
            flags[char] = int(flags.get(char, 0)) | flag
    return two_stage(lambda char: flags.get(char, 0), np.zeros(0x110000, np.uint16))


@lru_cache
def _anchor_table(anchor: str) -> Bytes:
    """uint8[256]: what a byte that begins a character says of it."""
    table = np.zeros(256, np.uint8)
    table[np.frombuffer(anchor.encode(), np.uint8)] = _ANCHOR
    if anchor == DIGITS:
        table[0xC0:] = _DECODE
    return table


def anchor_runs(data: Bytes, offsets: Indices, anchor: str) -> npt.NDArray[np.int64]:
    """int64[R, 4]: each run of anchors: first byte, the byte after its last, characters, document."""
    room: int = int(offsets[-1] - offsets[0]) // _BYTES_PER_RUN + len(offsets)
    while True:
        runs = np.empty((room, 4), np.int64)
        found = int(_anchor_runs(data, offsets, _anchor_table(anchor), classes(), runs))
        if found <= room:
            return runs[:found]
        room = found


@kernel
def _is_anchor(data: Bytes, at: Int, stop: Int, table: Bytes, classes: Classes) -> Int:
    """The length in bytes of the anchor at byte `at`; 0 if there is none."""
    kind = table[data[at]]
    if kind != _DECODE:
        return np.int64(kind)
    code, size = decode(data, at, stop)
    return size if class_of(classes, code) & DIGIT else 0


@kernel
def _anchor_runs(data: Bytes, offsets: Indices, table: Bytes, classes: Classes, runs: Grid[Out[Indices]]) -> Int:
    """Write as many runs as `runs` has room for; returns how many there are."""
    found: Int = 0
    for document in range(offsets.size - 1):
        at = offsets[document]
        stop = offsets[document + 1]
        while at < stop:
            if table[data[at]] == 0:
                at += 1
                continue
            size = _is_anchor(data, at, stop, table, classes)
            if size == 0:
                at += 1
                continue
            start = at
            characters = 0
            while size > 0:
                at += size
                characters += 1
                size = _is_anchor(data, at, stop, table, classes) if at < stop else 0
            if found < len(runs):
                runs[found, 0] = start
                runs[found, 1] = at
                runs[found, 2] = characters
                runs[found, 3] = document
            found += 1
    return found


@kernel
def forward(data: Bytes, at: Int, stop: Int, count: Int, solid: Int, classes: Classes) -> Int:
    """The byte `count` characters after `at`, whitespace not counted; up to whitespace if that is UNBOUNDED. Then to
    the end of a run of word characters, by `solid` characters at most."""
    left = min(count, FARTHEST)
    inside = True
    while at < stop and (left > 0 or (inside and solid > 0)):
        code, size = decode(data, at, stop)
        kind = class_of(classes, code)
        if left > 0:
            if kind & SPACE == 0:
                left -= 1
            elif count >= UNBOUNDED:
                return at + size
        elif kind & WORD == 0:
            inside = False
            continue
        else:
            solid -= 1
        at += size
    return at


@kernel
def back(data: Bytes, begin: Int, at: Int, count: Int, solid: Int, classes: Classes) -> Int:
    """As `forward`, before `at`."""
    left = min(count, FARTHEST)
    inside = True
    while at > begin and (left > 0 or (inside and solid > 0)):
        first = last_character(data, begin, at)
        code, _ = decode(data, first, at)
        kind = class_of(classes, code)
        if left > 0:
            if kind & SPACE == 0:
                left -= 1
            elif count >= UNBOUNDED:
                return first
        elif kind & WORD == 0:
            inside = False
            continue
        else:
            solid -= 1
        at = first
    return at

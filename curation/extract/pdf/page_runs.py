"""The characters of a page as PDFium finds them, and the runs that they form: pieces of a line without a wide gap.

PDFium is asked for each character by a compiled kernel: through ctypes this took seven times as long (2026-11).
"""

from ctypes import addressof, c_void_p, cast
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from curation.text.kernels.compiler.instructions import address_of, called, called_into
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel

WIDE = 0.8  # heights of a character between two runs of a line
FURTHEST = 1e5  # points; a page is 14,400 wide at most
_CARRIAGE_RETURN, _LINE_FEED, _BLANK = b"\r\n "
_HYPHEN = 2  # at the end of a line, as PDFium has it
LEFT, RIGHT, BOTTOM, TOP = range(4)  # columns of boxes

Boxes: TypeAlias = npt.NDArray[np.float64]  # [R, 4]: left, right, and bottom and top of the tallest character
Ints: TypeAlias = npt.NDArray[np.int64]


class PageRuns(NamedTuple):
    """`text` has the page's N characters, `places` int64[R, 2] the first of each run and the one behind its last, and
    `boxes` float64[R, 4] where they are, in points, y upwards, turned as the page is shown."""

    text: str
    places: Ints
    boxes: Boxes


def page_runs(library: Any, page: Any) -> PageRuns:
    """Of a page that is open; `library` is `pypdfium2.raw`."""
    characters = library.FPDFText_LoadPage(page)
    if not characters:
        return PageRuns("", np.empty((0, 2), np.int64), np.empty((0, 4)))
    try:
        codes = np.empty(max(library.FPDFText_CountChars(characters), 0), np.uint32)
        places = np.empty((len(codes), 2), np.int64)
        boxes = np.empty((len(codes), 4))
        code_of = _address(library.FPDFText_GetUnicode)
        box_of = _address(library.FPDFText_GetLooseCharBox)
        handle = np.uint64(addressof(characters.contents))
        turns = max(library.FPDFPage_GetRotation(page), 0)
        count = _fill(code_of, box_of, handle, turns, codes, places, boxes)
    finally:
        library.FPDFText_ClosePage(characters)
    text = codes.tobytes().decode("utf-32-le", "replace") if codes.max(initial=0) < 0xD800 else _repaired(codes)
    return PageRuns(text, places[:count], np.nan_to_num(np.clip(boxes[:count], -FURTHEST, FURTHEST)))


def _address(function: Any) -> np.uint64:
    return np.uint64(cast(function, c_void_p).value or 0)


def _repaired(codes: npt.NDArray[np.uint32]) -> str:
    """One character for each code, U+FFFD for those that are none."""
    wrong = ((codes >= 0xD800) & (codes < 0xE000)) | (codes > 0x10FFFF)
    return np.where(wrong, np.uint32(0xFFFD), codes).tobytes().decode("utf-32-le")


@kernel
def _fill(
    code_of: np.uint64,
    box_of: np.uint64,
    page: np.uint64,
    turns: Int,
    codes: Out[npt.NDArray[np.uint32]],
    places: Out[Grid[Ints]],
    boxes: Out[Grid[Boxes]],
) -> Int:
    """Returns the number of runs; `turns` are the quarters of a circle by which the page is turned clockwise."""
    corner = np.empty(4, np.float32)  # left, top, right, bottom
    runs = 0
    opened = False
    before = np.empty(2)
    for at in range(len(codes)):
        code = called(code_of, page, at)
        codes[at] = code
        if code in (_CARRIAGE_RETURN, _LINE_FEED):
            opened = False
        if code <= _BLANK and code != _HYPHEN:
            continue
        called_into(box_of, page, at, address_of(corner))
        left = corner[0]
        top = corner[1]
        right = corner[2]
        bottom = corner[3]
        if turns == 1:
            left, right, bottom, top = bottom, top, -right, -left
        elif turns == 2:
            left, right, bottom, top = -right, -left, -top, -bottom
        elif turns == 3:
            left, right, bottom, top = -top, -bottom, left, right
        if opened and max(left - before[1], before[0] - right) > WIDE * (top - bottom):
            opened = False
        if not opened:
            opened = True
            places[runs, 0] = at
            boxes[runs, LEFT] = left
            boxes[runs, RIGHT] = right
            boxes[runs, BOTTOM] = bottom
            boxes[runs, TOP] = top
            runs += 1
        _extend(boxes, runs - 1, left, right, bottom, top)
        places[runs - 1, 1] = at + 1
        before[0] = left
        before[1] = right
    return runs


@kernel
def _extend(
    boxes: Out[Grid[Boxes]], run: Int, left: np.float64, right: np.float64, bottom: np.float64, top: np.float64
) -> None:
    boxes[run, LEFT] = min(boxes[run, LEFT], left)
    boxes[run, RIGHT] = max(boxes[run, RIGHT], right)
    if top - bottom > boxes[run, TOP] - boxes[run, BOTTOM]:
        boxes[run, BOTTOM] = bottom
        boxes[run, TOP] = top

"""The characters of a page as PDFium finds them, with their boxes and accents put onto their letters.

PDFium is asked for each character by a compiled kernel: through ctypes this took seven times as long (2026-11).
"""

import unicodedata
from ctypes import addressof, c_void_p, cast
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from curation.text.kernels.compiler.instructions import address_of, called, called_into
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel

FURTHEST = 1e5  # points; a page is 14,400 wide at most
LEFT, RIGHT, BOTTOM, TOP = range(4)  # columns of boxes
BLANK = 0x20
DROPPED = 0xFFFF  # the code of a character that is no text
HYPHEN = 2  # the code that PDFium gives one at the end of a line
NEAR = 64  # characters between an accent and its letter
TOUCHING = 0.15  # heights of a character between two of one word
# Accents that are characters of their own: TeX and old fonts draw them over the letter.
_COMBINING = {
    **{0x60: 0x300, 0xB4: 0x301, 0x5E: 0x302, 0x2C6: 0x302, 0x7E: 0x303, 0x2DC: 0x303, 0xAF: 0x304, 0x2D8: 0x306},
    **{0x2D9: 0x307, 0xA8: 0x308, 0x2DA: 0x30A, 0x2DD: 0x30B, 0x2C7: 0x30C, 0xB8: 0x327, 0x2DB: 0x328},
}
_IS_ACCENT = np.zeros(max(_COMBINING) + 2, np.bool_)  # by code; the last is of all that are larger
_IS_ACCENT[list(_COMBINING)] = True
_DOTLESS = {"\u0131": "i", "\u0237": "j"}

Boxes: TypeAlias = npt.NDArray[np.float64]  # [R, 4]: left, right, and bottom and top
Ints: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.uint32]
Flags: TypeAlias = npt.NDArray[np.bool_]


class PageCharacters(NamedTuple):
    """`codes` uint32[N] of Unicode, `boxes` float64[N, 4] in points, y upwards, turned as the page is shown (0 for
    blanks), and `unmapped` bool[N]: the font has no Unicode for the character, so its code is the font's own."""

    codes: Codes
    boxes: Boxes
    unmapped: Flags


def page_characters(library: Any, page: Any) -> PageCharacters:
    """Reads a page that is open; `library` is `pypdfium2.raw`."""
    characters = library.FPDFText_LoadPage(page)
    if not characters:
        return PageCharacters(np.empty(0, np.uint32), np.empty((0, 4)), np.empty(0, np.bool_))
    try:
        count = max(library.FPDFText_CountChars(characters), 0)
        found = PageCharacters(np.empty(count, np.uint32), np.zeros((count, 4)), np.zeros(count, np.bool_))
        code_of = _address(library.FPDFText_GetUnicode)
        box_of = _address(library.FPDFText_GetLooseCharBox)
        unmapped_of = _address(library.FPDFText_HasUnicodeMapError)
        handle = np.uint64(addressof(characters.contents))
        _read(code_of, box_of, unmapped_of, handle, max(library.FPDFPage_GetRotation(page), 0), *found)
    finally:
        library.FPDFText_ClosePage(characters)
    np.nan_to_num(np.clip(found.boxes, -FURTHEST, FURTHEST, out=found.boxes), copy=False)
    compose(found)
    return found


def text_of(codes: Codes) -> str:
    """One character for each code, U+FFFD for those that are none."""
    if codes.max(initial=0) >= 0xD800:
        wrong = ((codes >= 0xD800) & (codes < 0xE000)) | (codes > 0x10FFFF)
        codes = np.where(wrong, np.uint32(0xFFFD), codes)
    return codes.tobytes().decode("utf-32-le")


def _address(function: Any) -> np.uint64:
    return np.uint64(cast(function, c_void_p).value or 0)


@kernel
def _read(
    code_of: np.uint64,
    box_of: np.uint64,
    unmapped_of: np.uint64,
    page: np.uint64,
    turns: Int,
    codes: Out[Codes],
    boxes: Out[Grid[Boxes]],
    unmapped: Out[Flags],
) -> None:
    """Fill in the page's characters; `turns` are the quarters of a circle by which it is turned clockwise."""
    corner = np.empty(4, np.float32)  # left, top, right, bottom
    for at in range(len(codes)):
        code = called(code_of, page, at)
        codes[at] = code
        if code <= BLANK and code != HYPHEN:
            # A font's own code may be that of a blank.
            unmapped[at] = code != BLANK and called(unmapped_of, page, at) == 1
            continue
        unmapped[at] = called(unmapped_of, page, at) == 1
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
        boxes[at, LEFT] = left
        boxes[at, RIGHT] = right
        boxes[at, BOTTOM] = bottom
        boxes[at, TOP] = top


def compose(page: PageCharacters) -> None:
    """Put each accent onto the letter under it, and close the gaps that PDFium leaves around the accent."""
    places = np.flatnonzero(_IS_ACCENT[np.minimum(page.codes, len(_IS_ACCENT) - 1)])
    if not len(places):
        return
    letters = np.empty(len(places), np.int64)
    _find_letters(page.codes, page.boxes, places, letters)
    for at, letter in zip(places.tolist(), letters.tolist(), strict=True):
        if letter < 0:
            continue
        base = chr(page.codes[letter])
        composed = unicodedata.normalize("NFC", _DOTLESS.get(base, base) + chr(_COMBINING[int(page.codes[at])]))
        if len(composed) == 1:
            page.codes[letter] = ord(composed)
            page.codes[at] = DROPPED
    _close(page.boxes, places, page.codes)


@kernel
def _find_letters(codes: Codes, boxes: Grid[Boxes], places: Ints, letters: Out[Ints]) -> None:
    """Fill in the letter under each accent, -1 for those that stand alone."""
    for number in range(len(places)):
        at = places[number]
        middle = (boxes[at, LEFT] + boxes[at, RIGHT]) / 2
        height = boxes[at, TOP] - boxes[at, BOTTOM]
        letters[number] = -1
        for step in range(1, 2 * NEAR + 1):
            other = at + (step + 1) // 2 if step % 2 else at - step // 2
            if other < 0 or other >= len(codes) or codes[other] < 0x41 or boxes[other, RIGHT] <= boxes[other, LEFT]:
                continue
            edge = 0.2 * (boxes[other, RIGHT] - boxes[other, LEFT])
            level = abs(boxes[other, BOTTOM] - boxes[at, BOTTOM]) < 0.5 * height
            if level and boxes[other, LEFT] + edge < middle < boxes[other, RIGHT] - edge:
                letters[number] = other
                break


@kernel
def _close(boxes: Grid[Boxes], places: Ints, codes: Out[Codes]) -> None:
    """Drop the blanks beside accents that were put onto letters, where what is around them touches."""
    for number in range(len(places)):
        if codes[places[number]] != DROPPED:
            continue
        first = places[number]
        last = first
        while first > max(places[number] - NEAR, 0) and (codes[first] <= BLANK or codes[first] == DROPPED):
            first -= 1
        while last < min(places[number] + NEAR, len(codes) - 1) and (codes[last] <= BLANK or codes[last] == DROPPED):
            last += 1
        gap = boxes[last, LEFT] - boxes[first, RIGHT]
        height = boxes[first, TOP] - boxes[first, BOTTOM]
        if abs(gap) < TOUCHING * height and abs(boxes[first, BOTTOM] - boxes[last, BOTTOM]) < 0.5 * height:
            for at in range(first + 1, last):
                codes[at] = DROPPED

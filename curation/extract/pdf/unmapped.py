"""Pages whose text is the codes of glyphs: a font without a map to Unicode numbers them as it likes.

PDFium then gives the font's code as if it were Unicode, which is right for many old fonts and nonsense for subsets. It
is nonsense if the characters are none of any text (controls, private ones), if too many are signs, or if their letters
are of many scripts or have too few or too many vowels for words.
"""

import unicodedata
from collections import Counter

import numpy as np

from curation.extract.pdf.page_characters import BLANK, DROPPED, Codes, Ints, PageCharacters, text_of

FEWEST = 20  # characters without a map that a page must have to be judged
SHARE = 0.2  # of a page's characters
NO_TEXT = 0.03  # of them that are controls or have no meaning
SIGNS = 0.4  # of them that are neither letters nor digits
SCRIPTS = 4  # blocks of 256 characters, of other letters than Chinese, Japanese and Korean ones
LETTERS = 30  # that are judged by their vowels
VOWELS = (0.22, 0.65)  # of the letters of a text in Latin script
_VOWELS = frozenset("aeiouyæœøı")


def is_unreadable(page: PageCharacters) -> bool:
    """Whether too much of a page is codes of a font that mean nothing."""
    codes, boxes, unmapped = page
    shown = (boxes[:, 1] > boxes[:, 0]) & (codes != DROPPED)
    private = ((codes >= 0xE000) & (codes < 0xF900)) | (codes == 0xFFFD)
    unmapped = (unmapped | private) & (shown | (codes < BLANK))
    count = np.count_nonzero(unmapped)
    if count < FEWEST or count < SHARE * np.count_nonzero(shown | unmapped):
        return False
    return _is_nonsense(*np.unique(codes[unmapped], return_counts=True))


def _is_nonsense(codes: Codes, times: Ints) -> bool:
    """By the different characters of a text, and how often it has each."""
    text = text_of(codes)
    count = int(times.sum())
    kinds = np.array([unicodedata.category(one)[0] for one in text])
    if times[kinds == "C"].sum() > NO_TEXT * count or times[np.isin(kinds, ("P", "S", "Z"))].sum() > SIGNS * count:
        return True
    letters: Counter[str] = Counter()
    for one, kind, number in zip(text, kinds.tolist(), times.tolist(), strict=False):
        if kind == "L":
            letters[unicodedata.normalize("NFD", one.lower())[0]] += number
    scripts = {ord(one) >> 8 for one in letters if not "\u2e00" <= one < "\ud800"}
    strange = sum(number for one, number in letters.items() if "\u0250" <= one < "\u0370")  # of phonetic script
    if strange > NO_TEXT * count or len(scripts) > SCRIPTS:
        return True
    latin = sum(number for one, number in letters.items() if one < "\u0250")
    vowels = sum(letters[one] for one in _VOWELS) / max(latin, 1)
    return latin >= LETTERS and not VOWELS[0] <= vowels <= VOWELS[1]

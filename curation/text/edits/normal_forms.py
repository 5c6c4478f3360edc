"""Finds the lines that may not be in a Unicode normal form by a compiled test, and normalizes those with Arrow.

Source: Unicode Standard Annex 15, "Unicode Normalization Forms", with the data of the running Python.
"""

import unicodedata
from functools import lru_cache

import numpy as np
import pyarrow as pa

from curation.text.edits.line_edits import CODES, KINDS, SuspectPairs, lines_with, suspect_pairs, texts_of
from curation.text.edits.mark_order import Form, normal_form
from curation.text.spans import TextSpans

_JAMO = (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))  # Hangul vowels and finals, composed by rule
# Normal forms change no character beyond the first four planes.
_PLANES = 0x40000


def unnormal_lines(array: pa.Array | pa.ChunkedArray, form: Form) -> TextSpans:
    """The lines of text[N] that may not be in the normal form."""
    return lines_with(array, _changeable(form))


def normalized_lines(lines: TextSpans, form: Form) -> pa.Array:
    """large_string[S]: the lines, which must be UTF-8, in the normal form."""
    return normal_form(texts_of(lines), form)


@lru_cache
def _changeable(form: Form) -> SuspectPairs:
    """Suspects are characters that the form changes, that move among marks, or that may compose with the one before."""
    kinds = np.zeros(CODES, np.uint8)
    kinds[list(_JAMO)] = 1
    for code in range(128, _PLANES):
        char = chr(code)
        if unicodedata.combining(char):
            kinds[code] = 1
        kinds[code] |= not unicodedata.is_normalized(form, char)
        decomposition = unicodedata.decomposition(char)
        if decomposition and not decomposition.startswith("<"):
            kinds[[int(code, 16) for code in decomposition.split()[1:]]] = 1
    pairs = np.zeros((KINDS, KINDS), np.uint8)
    pairs[:, 1] = 1
    return suspect_pairs(kinds, pairs.ravel())

"""Unicode normal forms: a compiled glance finds the lines that may not be in one, and Arrow composes those.

Source: Unicode Standard Annex 15, "Unicode Normalization Forms"; its data as the running Python has it.
"""

import unicodedata
from functools import lru_cache
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.text.edits.line_edits import CODES, KINDS, Glance, glance, lines_with, texts_of
from curation.text.spans import Spans

Form = Literal["NFC", "NFKC", "NFD", "NFKD"]

_JAMO = (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))  # Hangul vowels and finals, composed by rule
# The characters that a normal form may change are all in the first four planes but for those of U+E0000.
_PLANES = 0x40000


def unnormal_lines(array: pa.Array | pa.ChunkedArray, form: Form) -> Spans:
    """The lines of text[N] that may not be in the normal form."""
    return lines_with(array, _changeable(form))


def normalized_lines(lines: Spans, form: Form) -> pa.Array:
    """large_string[S]: the lines, which must be UTF-8, in the normal form."""
    return pc.utf8_normalize(texts_of(lines), form)


@lru_cache
def _changeable(form: Form) -> Glance:
    """Finds characters that are none in the form, move among marks, or may compose with one before them."""
    kinds = np.zeros(CODES, np.uint8)
    kinds[list(_JAMO)] = 1
    for code in range(128, _PLANES):
        char = chr(code)
        if unicodedata.combining(char):
            kinds[code] = 1
        kinds[code] |= not unicodedata.is_normalized(form, char)
        decomposition = unicodedata.decomposition(char)
        if decomposition and not decomposition.startswith("<"):
            kinds[[int(part, 16) for part in decomposition.split()[1:]]] = 1
    pairs = np.zeros((KINDS, KINDS), np.uint8)
    pairs[:, 1] = 1
    return glance(kinds, pairs.ravel())

"""Puts texts in capitals into lower case, for models that were trained on ordinary text.

A text is in capitals if most of the letters in a few windows of it are capital. Of 7,162 real sentences and texts in
the languages of lid.176 none has more than 47 % of capitals, and 99.9 % have less than 27 % (2026-11).

A sigma that ends a word becomes a final one. Where a dotted capital I says that a text is Turkish or Azerbaijani, an I
without a dot becomes a small one without a dot. Cherokee is not counted, as its usual letters are capital by Unicode.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.models.text_windows import Windows, windows
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.unicode import LETTER, UPPER, Classes, class_of, classes, decode

SHARE = 0.5  # of the letters; a text with more is in capitals
_WINDOWS = 8
_WINDOW_BYTES = 64
_CHEROKEE = 0x13A0
_AFTER_CHEROKEE = 0x13F6
_A = np.uint64(0x61)
_LETTERS = np.uint64(26)
_SMALL = 0x60
_PLAIN_FOR_DOTTED = 3  # plain capitals for a dotted one, at most, in Turkish: i is more frequent there than dotless i


def small_letters(texts: pa.Array) -> pa.Array:
    """Text[N] with those in capitals in lower case; the others as they are, and the array itself if there are none."""
    capital = in_capitals(windows(texts, count=_WINDOWS, size=_WINDOW_BYTES))
    if not capital.any():
        return texts
    mask = pa.array(capital)
    return pc.replace_with_mask(texts, mask, lowered(texts.filter(mask)))


def in_capitals(texts: Windows) -> npt.NDArray[np.bool_]:
    """bool[N]: whether more than SHARE of the letters of a text's windows are capital."""
    found = np.zeros(len(texts.first) - 1, np.bool_)
    _in_capitals(texts.data, texts.starts, texts.stops, texts.first, classes(), found)
    return found


def lowered(texts: pa.Array) -> pa.Array:
    """Text[N] in lower case."""
    dotted = pc.count_substring(texts, "İ")
    few_plain = pc.greater_equal(pc.multiply(dotted, _PLAIN_FOR_DOTTED), pc.count_substring(texts, "I"))
    turkish = pc.and_(few_plain, pc.greater(dotted, 0))
    texts = pc.if_else(turkish, pc.replace_substring(texts, "I", "ı"), texts)
    texts = pc.utf8_lower(pc.replace_substring(texts, "İ", "i"))
    if not pc.any(pc.match_substring(texts, "σ")).as_py():  # building the expression takes 2 ms
        return texts
    return pc.replace_substring_regex(texts, r"(\pL)σ(\PL|$)", r"\1ς\2")


@kernel
def _in_capitals(
    data: Bytes, starts: Indices, stops: Indices, first: Indices, table: Classes, found: Out[npt.NDArray[np.bool_]]
) -> None:
    for document in range(found.size):
        every: Int = 0
        capital: Int = 0
        for window in range(first[document], first[document + 1]):
            at = starts[window]
            while at < stops[window]:
                byte = np.int64(data[at])
                if byte < 0x80:
                    small = np.uint64(byte | 0x20) - _A < _LETTERS
                    every += small
                    capital += small and byte < _SMALL
                    at += 1
                    continue
                code, size = decode(data, at, stops[window])
                flags = class_of(table, code)
                every += flags & LETTER != 0
                capital += flags & UPPER != 0 and not _CHEROKEE <= code < _AFTER_CHEROKEE
                at += size
        found[document] = capital > SHARE * every

"""Puts long runs of combining marks in canonical order before a library normalizes them.

Libraries order marks by exchanging neighbours, in time that is quadratic in the length of a run: 1 MB of two kinds of
marks in turn took minutes. The order here is the same, by a stable sort, so that nothing is left to exchange.

Source: Unicode Standard, section 3.11, "Canonical Ordering Algorithm".
"""

import unicodedata
from functools import lru_cache
from itertools import groupby
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

Form = Literal["NFC", "NFKC", "NFD", "NFKD"]

LONG = 8  # marks of a run that is ordered here; real text has fewer, and RE2 takes 30 times as long to look for 64
_HALF_WIDTH = "\uff9e\uff9f"  # Japanese sound marks that compatibility forms make combining ones
_RUN = rf"[\p{{M}}{_HALF_WIDTH}]{{{LONG}}}"


def normal_form(text: pa.Array, form: Form) -> pa.Array:
    """large_string[N] in UTF-8 -> the same in the normal form, in time linear in its size."""
    long = pc.fill_null(pc.match_substring_regex(text, _RUN), False)
    if pc.any(long).as_py():
        ordered = [
            with_ordered_marks(value, form) if is_long else value
            for value, is_long in zip(text.to_pylist(), long.to_pylist(), strict=True)
        ]
        text = pa.array(ordered, pa.large_string())
    return pc.utf8_normalize(text, form)


def with_ordered_marks(text: str, form: Form) -> str:
    """The text with the marks of long runs decomposed and in order; its normal form is that of the text."""
    decomposed: Literal["NFKD", "NFD"] = "NFKD" if "K" in form else "NFD"
    pieces: list[str] = []
    for is_mark, run in groupby(text, key=lambda char: _is_mark(char, decomposed)):
        chars = [*run]
        if is_mark and len(chars) >= LONG:
            marks = (mark for char in chars for mark in unicodedata.normalize(decomposed, char))
            chars = sorted(marks, key=unicodedata.combining)
        pieces += chars
    return "".join(pieces)


@lru_cache(maxsize=4096)
def _is_mark(char: str, decomposed: Literal["NFKD", "NFD"]) -> bool:
    return all(map(unicodedata.combining, unicodedata.normalize(decomposed, char)))

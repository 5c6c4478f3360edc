"""What each character becomes where texts are compared whatever their typography; `canonical_tokens` says why."""

import unicodedata
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from curation.text.kernels.compiler.kernel import read_only
from curation.text.kernels.unicode import two_stage

APART = -1
_GONE = 0
SEVERAL = 0x110000  # entries from here on are places in the list of several codes
MORE = -2  # of a first byte: more bytes decide
_KEPT_CLASS = 9  # the largest combining class of a mark that stays: virama

Codes: TypeAlias = npt.NDArray[np.int32]


class Canon(NamedTuple):
    """What each character becomes. `first` is for first bytes, `table` for code points, `several` a list of
    [count, codes …]."""

    first: Codes  # int32[256]
    table: Codes
    several: Codes


@lru_cache
def canon() -> Canon:
    """The tables, made once per process."""
    several: list[int] = []
    places: dict[tuple[int, ...], int] = {}

    def entry(char: str) -> int:
        codes = _codes(char)
        if len(codes) < 2:
            return codes[0] if codes else _GONE
        if codes not in places:
            places[codes] = SEVERAL + len(several)
            several.extend((len(codes), *codes))
        return places[codes]

    # Unassigned and private characters stand for themselves, as letters do.
    table = two_stage(entry, np.arange(0x110000, dtype=np.int32))
    first = np.full(256, MORE, np.int32)
    first[:128] = [entry(chr(code)) for code in range(128)]
    return read_only(Canon(first, table, np.array([*several, 0], np.int32)))


def _codes(char: str) -> tuple[int, ...]:
    """The code points that a character becomes; APART between tokens."""
    if "\uac00" <= char <= "\ud7a3":
        return tuple(map(ord, unicodedata.normalize("NFD", char)))
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
    codes: list[int] = []
    for part in folded:
        category = unicodedata.category(part)
        if category == "Cf" or unicodedata.combining(part) > _KEPT_CLASS or _selects(part):
            continue
        apart = category[0] in "ZPS" or category == "Cc"
        if not (apart and codes and codes[-1] == APART):
            codes.append(APART if apart else ord(part))
    return tuple(codes)


def _selects(char: str) -> bool:
    """Whether it is a variation selector, a filler, or the grapheme joiner: marks that do not show."""
    code = ord(char)
    listed = code in (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0)
    return listed or 0x180B <= code <= 0x180F or 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF

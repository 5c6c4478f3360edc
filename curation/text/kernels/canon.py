"""What each character becomes where texts are compared whatever their typography; `canonical_tokens` says why."""

import unicodedata
from functools import lru_cache, partial
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from curation.text.kernels.compiler.kernel import read_only
from curation.text.kernels.unicode import ASSIGNED, DEFAULT_IGNORABLE, codes_in, packed

APART = -1
_GONE = 0
SEVERAL = 0x110000  # entries from here on are places in the list of several codes
MORE = -2  # of a first byte: more bytes decide
_KEPT_CLASS = 9  # the largest combining class of a mark that stays: virama
# Those assigned: what is not yet keeps standing for itself, as any unassigned character.
_IGNORABLE = frozenset(code for code in codes_in(DEFAULT_IGNORABLE) if unicodedata.category(chr(code)) != "Cn")
_PLAIN = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl", "No", "Co", "Cn"))  # general categories

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

    # Most characters stand for themselves, among them unassigned and private ones.
    flat = np.arange(0x110000, dtype=np.int32)
    for codes in ASSIGNED:
        for code in np.flatnonzero(_may_change(codes)) + codes.start:
            flat[code] = entry(chr(code))
    first = np.full(256, MORE, np.int32)
    first[:128] = flat[:128]
    return read_only(Canon(first, packed(flat), np.array([*several, 0], np.int32)))


def _may_change(codes: range) -> npt.NDArray[np.bool_]:
    """bool[len(codes)]: which characters are not in decomposed and folded form, or neither letters nor numbers. Each
    test runs over all of them in C, since `_codes` takes a second for so many."""
    chars = [*map(chr, codes)]
    same = map(str.__eq__, chars, map(str.casefold, chars))
    normal = map(partial(unicodedata.is_normalized, "NFKD"), chars)
    plain = map(_PLAIN.__contains__, map(unicodedata.category, chars))
    keeps = np.array([*same]) & np.array([*normal]) & np.array([*plain])
    keeps[[code - codes.start for code in _IGNORABLE if code in codes]] = False
    changes: npt.NDArray[np.bool_] = ~keeps
    return changes


def _codes(char: str) -> tuple[int, ...]:
    """The code points that a character becomes; APART between tokens."""
    if "\uac00" <= char <= "\ud7a3":
        return tuple(map(ord, unicodedata.normalize("NFD", char)))
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
    codes: list[int] = []
    for part in folded:
        category = unicodedata.category(part)
        if category == "Cf" or unicodedata.combining(part) > _KEPT_CLASS or ord(part) in _IGNORABLE:
            continue
        apart = category[0] in "ZPS" or category == "Cc"
        if not (apart and codes and codes[-1] == APART):
            codes.append(APART if apart else ord(part))
    return tuple(codes)

"""Finds characters that stand where no writing system puts them, as they do in text that was decoded wrongly.

These are U+FFFD, C1 controls and characters for private use; Han characters that neither Chinese nor Japanese encodings
count among the common ones, beyond the share that texts about birds, herbs or chemistry have, and Cantonese particles
aside; and, next to one another,
- letters of two alphabets within a word ("cafй"), and Han with half-width katakana;
- a small letter and a capital beyond ASCII, with the capitals that follow ("пРИВЕТ");
- a letter beyond ASCII and a sign such as "¤", "¼" or a line of a box ("Ã¤"), and a dash and such a sign ("–µ");
- a final form within a word ("ςα"), and a Thai vowel without its consonant;
- three or more accented Latin letters ("Ìåëüíèê"), as Cyrillic and Chinese text looks in Windows-1252.
Not counted are the Latin "i" for the Cyrillic one, as often in Belarusian and Kazakh; accented Latin letters in
Cyrillic, as in Chuvash ("ăçта") and Ossetic ("адæм"), because no encoding that is read wrongly puts them there; and the
micro sign for the Greek mu ("κείµενο").

Source: ours; the kinds of neighbours follow Speer 2019, "ftfy" (doi:10.5281/zenodo.2591652). Common Han characters are
those of level 1 in GB 2312, Big5 and JIS X 0208.
"""

from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.unicode import decode

Table: TypeAlias = npt.NDArray[np.uint8]
Shares: TypeAlias = npt.NDArray[np.float64]

_OTHER, _SPACE, _BROKEN, _SMALL, _CAPITAL, _ACCENTED_SMALL, _ACCENTED_CAPITAL, _SIGN, _INNER_SIGN, _SMALL_I = range(10)
_CYRILLIC_SMALL, _CYRILLIC_CAPITAL, _GREEK_SMALL, _GREEK_CAPITAL, _GREEK_FINAL = range(10, 15)
_HEBREW, _HEBREW_FINAL, _ARABIC, _ARABIC_FINAL, _THAI, _THAI_BEFORE, _THAI_AFTER = range(15, 22)
_HAN, _RARE, _KATAKANA, _DASH, _MICRO = range(22, 27)
_KINDS = 27
_CODES = 0x10000
_LATIN = (_SMALL, _CAPITAL, _SMALL_I, _ACCENTED_SMALL, _ACCENTED_CAPITAL)
_ALPHABETS = (
    _LATIN,
    (_CYRILLIC_SMALL, _CYRILLIC_CAPITAL),
    (_GREEK_SMALL, _GREEK_CAPITAL, _GREEK_FINAL),
    (_HEBREW, _HEBREW_FINAL),
    (_ARABIC, _ARABIC_FINAL),
    (_THAI, _THAI_BEFORE, _THAI_AFTER),
)
_RANGES = (  # first and last code point of a kind, or of small and capital letters
    (0x41, 0x7A, (_SMALL, _CAPITAL)),
    (0xC0, 0x17F, (_ACCENTED_SMALL, _ACCENTED_CAPITAL)),
    (0x370, 0x3FF, (_GREEK_SMALL, _GREEK_CAPITAL)),
    (0x400, 0x52F, (_CYRILLIC_SMALL, _CYRILLIC_CAPITAL)),
    (0x5D0, 0x5EA, (_HEBREW, _HEBREW)),
    (0x620, 0x64A, (_ARABIC, _ARABIC)),
    (0xE01, 0xE2E, (_THAI, _THAI)),
    (0xFF66, 0xFF9D, (_KATAKANA, _KATAKANA)),
    (0x3400, 0x4DBF, (_RARE, _RARE)),
    (0x4E00, 0x9FFF, (_RARE, _RARE)),
)
_CHARACTERS = {
    _BROKEN: (*range(0x80, 0x85), *range(0x86, 0xA0), *range(0xE000, 0xF900), 0xFFFD),
    _SIGN: tuple(map(ord, "§©°±²³¹¡¿¢£¥€‚„†‡‹")),  # of Windows code pages; they follow no letter
    _INNER_SIGN: (  # they precede none either
        *map(ord, "¤¦¨¬¯´¸¶¼½¾ƒˆ˜‰›\u00ad∞≠≤≥∂∑∏∫√≈∆◊ª"),
        *range(0x2500, 0x25A0),
    ),
    _MICRO: (0xB5,),
    _DASH: tuple(map(ord, "–—")),
    _SMALL_I: tuple(map(ord, "iI")),
    _GREEK_FINAL: (0x3C2,),
    _HEBREW_FINAL: tuple(map(ord, "ךםןףץ")),
    _ARABIC_FINAL: (0x629,),
    _THAI_BEFORE: tuple(range(0xE40, 0xE45)),
    _THAI_AFTER: (0xE31, *range(0xE34, 0xE3B), *range(0xE47, 0xE4F)),
}
_CANTONESE = "嘅佢喺嘢咗冇哋啲嗰咁嚟唔咩噉乜瞓揾俾嚿噏攞睇諗搵"  # common, but of level 2 or in none of the sets
NATURAL = 0.15  # of Han characters: up to this share of rare ones is not counted
_RUN = 3  # accented Latin letters in a row


def garbled_shares(texts: pa.Array | pa.ChunkedArray) -> Shares:
    """float64[N]: share of such characters among those of text[N] that are no whitespace; 0 where there are none."""
    data, offsets = text_buffers(texts)
    shares = np.zeros(len(offsets) - 1)
    _measure(data, offsets, _kinds(), _pairs(), shares)
    return shares


@lru_cache
def _kinds() -> Table:
    """uint8[_CODES]: the kind of each character."""
    kinds = np.zeros(_CODES, np.uint8)
    kinds[[code for code in range(_CODES) if chr(code).isspace()]] = _SPACE
    for first, last, (small, capital) in _RANGES:
        for code in range(first, last + 1):
            if chr(code).isalpha():
                kinds[code] = capital if chr(code).isupper() else small
    for kind, codes in _CHARACTERS.items():
        kinds[list(codes)] = kind
    kinds[list(map(ord, _common_han() + _CANTONESE))] = _HAN
    return kinds


def _common_han() -> str:
    """Level 1 of the national character sets."""
    found = ""
    for codec, leads in (("gb2312", range(0xB0, 0xD8)), ("big5", range(0xA4, 0xC7)), ("euc_jp", range(0xB0, 0xD0))):
        trails = (*range(0x40 if codec == "big5" else 0xA1, 0x7F), *range(0xA1, 0xFF))
        found += bytes(byte for lead in leads for trail in trails for byte in (lead, trail)).decode(codec, "ignore")
    return "".join(character for character in found if "\u4e00" <= character <= "\u9fff")


@lru_cache
def _pairs() -> Table:
    """uint8[_KINDS * _KINDS]: 1 where two kinds do not stand next to each other."""
    pairs = np.zeros((_KINDS, _KINDS), np.uint8)
    letters = [kind for alphabet in _ALPHABETS for kind in alphabet]
    for alphabet in _ALPHABETS:
        pairs[np.ix_(alphabet, [kind for kind in letters if kind not in alphabet])] = 1
    cyrillic = [_CYRILLIC_SMALL, _CYRILLIC_CAPITAL]
    for latin in (_SMALL_I, _ACCENTED_SMALL, _ACCENTED_CAPITAL):
        pairs[latin, cyrillic] = pairs[cyrillic, latin] = 0
    pairs[[_SMALL, _SMALL_I, _ACCENTED_SMALL], _ACCENTED_CAPITAL] = 1
    pairs[_CYRILLIC_SMALL, _CYRILLIC_CAPITAL] = pairs[[_GREEK_SMALL, _GREEK_FINAL], _GREEK_CAPITAL] = 1
    beyond_ascii = [kind for kind in letters if kind not in (_SMALL, _CAPITAL, _SMALL_I)]
    pairs[beyond_ascii, _SIGN] = 1
    greek = (_GREEK_SMALL, _GREEK_CAPITAL, _GREEK_FINAL)
    for sign in (_INNER_SIGN, _MICRO):
        pairs[beyond_ascii, sign] = pairs[sign, beyond_ascii] = pairs[_DASH, sign] = pairs[sign, _DASH] = 1
    pairs[greek, _MICRO] = pairs[_MICRO, greek] = 0
    pairs[_GREEK_FINAL, _GREEK_SMALL] = pairs[_HEBREW_FINAL, _HEBREW] = pairs[_ARABIC_FINAL, _ARABIC] = 1
    pairs[:, _THAI_AFTER] = pairs[_THAI_BEFORE] = 1
    pairs[[_THAI, _THAI_AFTER], _THAI_AFTER] = pairs[_THAI_BEFORE, [_THAI, _SPACE]] = 0
    pairs[_HAN, _KATAKANA] = pairs[_KATAKANA, _HAN] = 1
    return pairs.ravel()


@kernel
def _measure(data: Bytes, offsets: Indices, kinds: Table, pairs: Table, shares: Out[Shares]) -> None:
    for document in range(len(shares)):
        garbled, characters = _counts(data, offsets[document], offsets[document + 1], kinds, pairs)
        shares[document] = garbled / characters if characters else 0.0


@kernel
def _counts(data: Bytes, start: Int, stop: Int, kinds: Table, pairs: Table) -> tuple[Int, Int]:
    """How many characters of data[start:stop] are garbled, and how many are no whitespace."""
    garbled: Int = 0
    characters: Int = 0
    before: Int = _SPACE
    counted: Int = 1  # 1 where the character before is garbled, whitespace or none
    run: Int = 0
    han: Int = 0
    rare: Int = 0
    place = start
    while place < stop:
        if data[place] < 0x80 and (place == start or data[place - 1] < 0x80):  # two of ASCII are never strange
            before = np.int64(kinds[data[place]])
            characters += before != _SPACE
            counted = np.int64(before == _SPACE)
            run = 0
            place += 1
            continue
        code, size = decode(data, place, stop)
        place += size
        kind = np.int64(kinds[code]) if code < _CODES else _OTHER
        characters += kind != _SPACE
        han += kind in (_HAN, _RARE)
        rare += kind == _RARE
        run = run + 1 if kind in (_ACCENTED_SMALL, _ACCENTED_CAPITAL) else 0
        strange = pairs[before * _KINDS + kind] == 1
        goes_on = counted == 1 and kind == before and kind in (_CYRILLIC_CAPITAL, _GREEK_CAPITAL)
        if strange:
            garbled += 1 - counted
        elif run == _RUN:
            garbled += 2 - counted
        is_garbled = kind == _BROKEN or strange or run >= _RUN or goes_on
        garbled += is_garbled
        counted = np.int64(is_garbled or kind == _SPACE)
        before = kind
    return garbled + max(0, rare - np.int64(NATURAL * han)), characters

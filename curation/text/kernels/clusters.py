"""How each character joins its neighbours: the classes by which texts are cut between grapheme clusters and words.

Source: Unicode Standard Annex 29, extended grapheme clusters, with the general categories of the running Python. Where
it asks for more data than those, the classes are stricter: they join a little more, and never part a cluster.
"""

import unicodedata
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from curation.text.kernels.pictographs import PICTOGRAPHS
from curation.text.kernels.unicode import DEFAULT_IGNORABLE, codes_in, packed

Joins: TypeAlias = npt.NDArray[np.uint16]

# How it joins, in the lowest four bits.
JOINS = 15
(
    OTHER,
    RETURN,
    FEED,
    CONTROL,
    EXTEND,  # marks, and the modifiers and tags of emoji
    ZERO_WIDTH_JOINER,
    SPACING,
    PREPEND,
    REGIONAL,  # half a flag
    LEADING,  # jamo of Hangul, and syllables without and with a final
    VOWEL,
    TRAILING,
    SYLLABLE,
    CLOSED_SYLLABLE,
    PICTOGRAPH,
) = range(15)

# Flags.
LINKER = 16  # a virama or another mark that binds the consonants beside it
LETTER = 32  # a letter without case, which a linker may bind
BLANK = 64  # whitespace and the zero-width space
WORD = 128  # a letter, mark, number, underscore, or an invisible character within a word
UNSPACED = 256  # of a script without spaces between words, or its punctuation

_SPACING = "E33 EB3"
# Prepended concatenation marks, and signs before a consonant; then vowels of Thai, Lao and Tai Viet that are written
# before the consonant that they follow.
_PREPEND = """
600-605 6DD 70F 890-891 8E2 D4E 110BD 110CD 111C2-111C3 113D1 1193F 11941 11A3A 11A84-11A89 11D46 11F02
1CF5-1CF6 E40-E44 EC0-EC4 AAB5-AAB6 AAB9 AABB-AABC
"""
_EXTEND = "200C FF9E-FF9F 1F3FB-1F3FF E0020-E007F"
# Thai to Tibetan's edge, Myanmar, Khmer, Tai Le and New Tai Lue, Tai Tham, Balinese, Javanese, Tai Viet; ideographs and
# Kana with their punctuation, Yi, forms of half and full width but for letters, digits and Hangul; the second and third
# plane.
_UNSPACED = """
E00-EFF 1000-109F 1780-17FF 1950-19DF 1A20-1AAF 1B00-1B7F A980-A9FF AA60-AADF 2E80-2FDF 3001-312F 31A0-4DBF 4E00-A48F
F900-FAFF FE30-FE4F FF01-FF0F FF1A-FF20 FF3B-FF40 FF5B-FF9F 17000-18CFF 1AFF0-1B2FF 20000-3FFFF
"""


@lru_cache
def cluster_joins() -> Joins:
    """The two-stage table, for `joins_of`."""
    flat = np.zeros(0x110000, np.uint16)
    for code in (*range(0x40000), *range(0xE0000, 0xE0200)):
        flat[code] = _of(code)
    flat[[code for code in codes_in(DEFAULT_IGNORABLE) if unicodedata.category(chr(code)) == "Cn"]] = CONTROL | WORD
    for ranges, joins in (
        (PICTOGRAPHS, PICTOGRAPH),
        (_SPACING, SPACING),
        (_PREPEND, PREPEND),
        (_EXTEND, EXTEND),
        ("200D", ZERO_WIDTH_JOINER),
        ("1F1E6-1F1FF", REGIONAL),
        ("1100-115F A960-A97C", LEADING),
        ("1160-11A7 D7B0-D7C6", VOWEL),
        ("11A8-11FF D7CB-D7FB", TRAILING),
        ("AC00-D7A3", CLOSED_SYLLABLE),
    ):
        codes = codes_in(ranges)
        flat[codes] = flat[codes] & ~np.uint16(JOINS) | joins
    flat[0xAC00:0xD7A4:28] = SYLLABLE | WORD | LETTER
    flat[codes_in(_UNSPACED)] |= UNSPACED
    flat[0x200B] |= BLANK
    return packed(flat)


def _of(code: int) -> int:
    """The class of a character by its general category."""
    char = chr(code)
    category = unicodedata.category(char)
    flags = BLANK if char.isspace() else 0
    if char in "\r\n":
        return flags | (RETURN if char == "\r" else FEED)
    if category in ("Cc", "Zl", "Zp"):
        return flags | CONTROL
    if category == "Cf":
        return CONTROL if code == 0x200B else CONTROL | WORD
    if category[0] == "M":
        flags |= WORD | (SPACING if category == "Mc" else EXTEND)
        return flags | (LINKER if unicodedata.combining(char) == 9 else 0)
    if category[0] in "LN" or category == "Pc":
        flags |= WORD | (LETTER if category == "Lo" else 0)
    return flags

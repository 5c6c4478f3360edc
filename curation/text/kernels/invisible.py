"""What a default-ignorable character is good for, and which characters give it a meaning: the table for
`curation/text/edits/invisible.py`.

An entry of the table is a kind of invisible character, or the flags of a character that can be seen.
"""

import unicodedata
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from curation.text.kernels.pictographs import PICTOGRAPHS
from curation.text.kernels.unicode import DEFAULT_IGNORABLE, codes_in, packed

Marks: TypeAlias = npt.NDArray[np.int32]

# Kinds of invisible characters, in the lowest four bits.
KIND = 15
(
    _ANY,  # of no use anywhere, as soft hyphens and the marks and embeddings of direction
    EMOJI_STYLE,
    VARIATION,
    IDEOGRAPHIC_VARIATION,
    MONGOLIAN_VARIATION,
    VOWEL_SEPARATOR,
    NON_JOINER,
    JOINER,
    TAG,
    END_TAG,
    GRAPHEME_JOINER,
    LEADING_FILLER,
    VOWEL_FILLER,
    COMPATIBILITY_FILLER,
    WORD_BREAK,
) = range(1, 16)
NOTATION_FORMAT = 1 << 4  # a flag beside _ANY

_KINDS = (
    ("FE0E-FE0F", EMOJI_STYLE),
    ("FE00-FE0D", VARIATION),
    ("E0100-E01EF", IDEOGRAPHIC_VARIATION),
    ("180B-180D 180F", MONGOLIAN_VARIATION),
    ("180E", VOWEL_SEPARATOR),
    ("200C", NON_JOINER),
    ("200D", JOINER),
    ("E0030-E0039 E0061-E007A", TAG),  # digits and small letters
    ("E007F", END_TAG),
    ("34F", GRAPHEME_JOINER),
    ("115F", LEADING_FILLER),
    ("1160", VOWEL_FILLER),
    ("3164 FFA0", COMPATIBILITY_FILLER),
    ("200B", WORD_BREAK),
    ("1BCA0-1BCA3 1D173-1D17A", _ANY | NOTATION_FORMAT),
)

# Flags of the characters beside them.
(
    PICTOGRAPH,
    SKIN_TONE,
    KEYCAP_BASE,
    KEYCAP,
    BLACK_FLAG,
    MONGOLIAN,
    IDEOGRAPH,
    VARIED,  # has standardized variants other than those of emoji
    LEADING_JAMO,
    VOWEL_JAMO,
    TRAILING_JAMO,
    COMPATIBILITY_JAMO,
    JOINING,  # a letter, mark or number of a script whose letters join
    INDIC,  # … of a script whose consonants form conjuncts
    VIRAMA,
    MARK,
    WORD,  # any letter, mark or number
    UNSPACED,  # a letter, mark or number of a script of South East Asia without spaces between words
    NOTATION,  # musical symbols and shorthand
) = (1 << bit for bit in range(5, 24))

_NEIGHBOURS = (
    (PICTOGRAPHS, PICTOGRAPH),
    ("1F3FB-1F3FF", SKIN_TONE),
    ("23 2A 30-39", KEYCAP_BASE),
    ("20E3", KEYCAP),
    ("1F3F4", BLACK_FLAG),
    ("1820-1878 1880-18AA", MONGOLIAN),
    ("3007 3400-4DBF 4E00-9FFF F900-FAFF 20000-323AF", IDEOGRAPH),
    # StandardizedVariants.txt: mathematical operators, ideographs, punctuation of East Asia and quotation marks, and
    # letters of Myanmar, Phags-pa, Manichaean and Egyptian hieroglyphs.
    (
        "1000-1031 2018-2019 201C-201D 2205 2229-22ED 2A3C-2AF7 3001-3002 3400-4DBF 4E00-9FFF A856-A872 AA60-AA7A",
        VARIED,
    ),
    ("FF01-FF1F 10AC5-10AE1 13000-143FA 20000-2FA1D", VARIED),
    ("1100-115E A960-A97C", LEADING_JAMO),
    ("1161-11A7 D7B0-D7C6", VOWEL_JAMO),
    ("11A8-11FF D7CB-D7FB", TRAILING_JAMO),
    ("3131-3163 3165-318E FFA1-FFDC", COMPATIBILITY_JAMO),
    ("1BC00-1BC9F 1D100-1D172 1D17B-1D1FF", NOTATION),
)
# Blocks of scripts; only their letters, marks and numbers count.
_SCRIPTS = (
    # Arabic, Syriac, N'Ko, Mandaic, Mongolian, Phags-pa, Manichaean, Psalter Pahlavi, Hanifi Rohingya, Sogdian and its
    # kin, Adlam.
    ("600-77F 7C0-7FF 840-8FF 1800-18AF A840-A877 FB50-FDFF FE70-FEFC 10AC0-10AFF 10B80-10BAF 10D00-10D3F", JOINING),
    ("10EC0-10FDF 11660-1167F 1E900-1E95F", JOINING),
    # From Devanagari to Sinhala, Tibetan, Myanmar, the Philippines, Khmer, Tai Tham, Indonesia, Vedic signs, Brahmi and
    # its kin.
    ("900-DFF F00-109F 1700-17FF 1A20-1AAF 1B00-1C4F 1CD0-1CFF A880-A8FF A930-AA7F AAE0-AAFF ABC0-ABFF", INDIC),
    ("10A00-10A5F 11000-1165F 11680-11FFF", INDIC),
    # Thai and Lao, Myanmar, Khmer, Tai Le, New Tai Lue, Tai Tham, Balinese, Javanese, Tai Viet.
    ("E00-EFF 1000-109F 1780-17FF 1950-19DF 1A20-1AAF 1B00-1B7F A980-A9FF AA60-AADF", UNSPACED),
)
_VIRAMA_CLASS = 9  # the canonical combining class


@lru_cache
def invisible_marks() -> Marks:
    """The two-stage table, for `marks_of`."""
    flat = np.zeros(0x110000, np.int32)
    for ranges, flag in _NEIGHBOURS:
        flat[codes_in(ranges)] |= flag
    for code in (*range(0x40000), *range(0xE0000, 0xE0200)):
        category = unicodedata.category(chr(code))
        if category[0] in "LMN":
            flat[code] |= WORD | MARK * (category[0] == "M")
    for ranges, flag in _SCRIPTS:
        codes = np.array(codes_in(ranges))
        codes = codes[flat[codes] & WORD != 0]
        flat[codes] |= flag
        if flag == INDIC:
            flat[[code for code in codes.tolist() if unicodedata.combining(chr(code)) == _VIRAMA_CLASS]] |= VIRAMA
    flat[codes_in(DEFAULT_IGNORABLE)] = _ANY
    for ranges, kind in _KINDS:
        flat[codes_in(ranges)] = kind
    return packed(flat)

"""Finds mojibake (text decoded with the wrong character set) by a compiled test and repairs it with ftfy.

ftfy judges a line by neighbouring characters. The compiled test is coarser: it finds every line that ftfy would change,
and only those lines cost Python time.

Source: Speer 2019, "ftfy" (doi:10.5281/zenodo.2591652).
"""

import re
from functools import lru_cache

import numpy as np
import pyarrow as pa
from ftfy import TextFixerConfig, fix_text
from ftfy.badness import MOJIBAKE_CATEGORIES

from curation.text.edits.line_edits import CODES, KINDS, SuspectPairs, Table, lines_with, suspect_pairs, texts_of
from curation.text.spans import TextSpans

# Kinds of characters. Categories of ftfy that take part in the same pairs are one kind.
_LATIN, _SPACE, _CONTROL, _BAD, _LOWER, _UPPER, _COMMON, _FACE, _SOFT, _SIGN, _OPEN, _LEAD, _EAST, _OE = range(1, 15)
_KIND_OF = {
    "c1": _CONTROL,
    "bad": _BAD,
    "lower_accented": _LOWER,
    "upper_accented": _UPPER,
    "lower_common": _COMMON,
    "upper_common": _COMMON,
    "kaomoji": _FACE,
    "common": _SOFT,
    "start_punctuation": _OPEN,
    **dict.fromkeys(("box", "law", "currency", "end_punctuation", "numeric"), _SIGN),
}
_LEADS = "ÂÃÎÐØÙ√‚"  # what the first byte of a sequence often becomes: any suspect neighbour may follow
_EASTERN_LEADS = "ВГРСвўΒΓΞΟβ"  # the same in alphabets where only signs may follow
_SUSPECT = (_BAD, _LOWER, _UPPER, _COMMON, _FACE, _SOFT, _SIGN, _OPEN, _LEAD, _EAST, _OE)
_CAPITALS = (_UPPER, _LEAD, _OE)
_SMALL = (_LOWER, _COMMON, _EAST, _OE)

# Repair encodings only.
ENCODINGS = TextFixerConfig(
    unescape_html=False,
    remove_terminal_escapes=False,
    fix_latin_ligatures=False,
    fix_character_width=False,
    uncurl_quotes=False,
    fix_line_breaks=False,
    fix_surrogates=False,
    remove_control_chars=False,
    normalization=None,
    explain=False,
)


def suspect_lines(array: pa.Array | pa.ChunkedArray) -> TextSpans:
    """The lines of text[N] that may be mojibake."""
    return lines_with(array, _suspect_pairs())


def repaired(lines: TextSpans) -> pa.Array:
    """large_string[S]: the lines, which must be UTF-8, repaired."""
    return pa.array([fix_text(line, ENCODINGS) for line in texts_of(lines).to_pylist()], pa.large_string())


@lru_cache
def _suspect_pairs() -> SuspectPairs:
    return suspect_pairs(_kinds(), _pairs())


def _kinds() -> Table:
    kinds = np.zeros(CODES, np.uint8)
    kinds[[code for code in range(128) if chr(code).isalpha()]] = _LATIN
    kinds[[code for code in range(128) if chr(code).isspace()]] = _SPACE
    for category, characters in MOJIBAKE_CATEGORIES.items():
        pattern = re.compile(f"[{characters}]")  # as ftfy uses them
        kinds[[code for code in range(128, 0x10000) if pattern.match(chr(code))]] = _KIND_OF[category]
    for kind, characters in ((_LEAD, _LEADS), (_EAST, _EASTERN_LEADS), (_OE, "Œœ"), (_BAD, "Ђ"), (_SIGN, "°")):
        kinds[list(map(ord, characters))] = kind
    return kinds


def _pairs() -> Table:
    pairs = np.zeros((KINDS, KINDS), np.uint8)
    pairs[_CONTROL] = pairs[:, _CONTROL] = 1
    pairs[_BAD, _SUSPECT] = pairs[_SUSPECT, _BAD] = 1
    pairs[_LEAD, (*_SUSPECT, _SPACE)] = 1
    pairs[_OE] = 1
    pairs[_OE, _LATIN] = 0
    pairs[_EAST, (_SIGN, _OPEN)] = 1
    for capital in _CAPITALS:
        pairs[(*_SMALL, _SIGN), capital] = 1
    for right in (_SIGN, _OPEN, _LEAD):
        pairs[(_LOWER, *_CAPITALS, _SIGN), right] = 1
    pairs[_SIGN, (_LOWER, _FACE)] = 1
    pairs[_OPEN, _SIGN] = 1
    return pairs.ravel()

"""Removes invisible characters that carry no meaning, in many texts per call. N documents.

Invisible are the characters that Unicode calls default-ignorable (`DEFAULT_IGNORABLE` of
`curation/text/kernels/unicode.py`). Those stay whose neighbours give them a meaning:

    zero-width joiner      between emoji; beside a letter of a joining script; where a non-joiner stays
    zero-width non-joiner  behind a virama; between letters, marks or numbers, one of them of a joining or Indic script
    variation selectors    behind what they vary: emoji (and keycaps), ideographs, letters of Mongolian, mathematical
                           operators and other characters with standardized variants
    tags                   a whole subdivision of a flag: U+1F3F4, 3 to 6 letters or digits, and the end tag
    vowel separator        between letters of Mongolian
    grapheme joiner        between a letter or mark and a mark, where it keeps them from being composed or reordered
    fillers of Hangul      beside the jamo with which they form a syllable
    zero-width space       between letters of Thai, Lao, Khmer, Myanmar and others that put no spaces between words
    musical and shorthand  beside their symbols
    format characters

Everything else goes: soft hyphens, word joiners, byte order marks, invisible operators, and all marks, embeddings and
isolates of direction, which say how a text is displayed and not what it says.

Source: Unicode Standard, chapter 23 and DerivedCoreProperties.txt; RFC 5892, appendix A (CONTEXTJ), for joiners;
Unicode Technical Standard 51 for emoji. Choices of ours: the scripts are those of `curation/text/kernels/invisible.py`,
and beside a letter of them a joiner stays whatever the letter's joining type.
"""

from functools import lru_cache

import numpy as np
import pyarrow as pa

from curation.text.edits.line_edits import CODES, Table, lead_bytes
from curation.text.kernels import invisible
from curation.text.kernels.blocks import BLOCK, REACH, copy_bytes, first_bits, window
from curation.text.kernels.buffers import Bytes, Indices, text_array, text_buffers
from curation.text.kernels.compiler.instructions import below, lowest
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.invisible import Marks, invisible_marks
from curation.text.kernels.unicode import DEFAULT_IGNORABLE, codes_in, decode, last_character

_KIND = invisible.KIND
_NOTATION_FORMAT = invisible.NOTATION_FORMAT
_NON_JOINER = invisible.NON_JOINER
_JOINER = invisible.JOINER
_MOST_JOINERS = 3  # that stay in a row: "joiner, non-joiner, joiner" shows joined forms without a ligature
_FEWEST_TAGS = 3
_MOST_TAGS = 6
_MOST_MARKS = 32  # beside an invisible character, of which each may be next to it in another normal form
_EMOJI = invisible.PICTOGRAPH | invisible.SKIN_TONE
_CONJOINING = invisible.JOINING | invisible.INDIC


def without_invisible(array: pa.Array | pa.ChunkedArray) -> tuple[pa.Array, Indices]:
    """(large_string[N]: text[N] without invisible characters that carry no meaning; int64[N]: how many were removed).

    A null becomes "". Not copied if there are none. A second run changes nothing. Invalid UTF-8 stays.
    """
    data, offsets = text_buffers(array)
    leads = _leads()
    if not _any(data, offsets, leads):
        return text_array(data, offsets), np.zeros(len(offsets) - 1, np.int64)
    out = np.empty(int(offsets[-1] - offsets[0]), np.uint8)
    ends = np.zeros(len(offsets), np.int64)
    counts = _remove(data, offsets, leads, invisible_marks(), out, ends)
    return text_array(out[: ends[-1]], ends), counts


@lru_cache
def _leads() -> Table:
    """`lead_bytes` of the default-ignorable characters."""
    kinds = np.zeros(CODES, np.uint8)
    kinds[codes_in(DEFAULT_IGNORABLE)] = 1
    return lead_bytes(kinds)


@kernel
def _any(data: Bytes, offsets: Indices, leads: Table) -> bool:
    """Whether any character may be invisible, by its first two bytes."""
    pad = np.empty(REACH, np.uint8)
    end = offsets[-1]
    for block in range(offsets[0], end, BLOCK):
        bits = ~below(window(data, block, pad), 0xC0) & first_bits(end - block)
        while bits:
            at = block + lowest(bits)
            bits &= bits - np.uint64(1)
            if at + 1 < end and leads[256 * np.int64(data[at]) + data[at + 1]]:
                return True
    return False


@kernel
def _marks_at(data: Bytes, at: Int, stop: Int, table: Marks) -> tuple[Int, Int]:
    """The entry of the character at byte `at` < `stop`, and its length."""
    code, size = decode(data, at, stop)
    return np.int64(table[np.int64(table[code >> 8]) + (code & 255)]), size


@kernel
def _tags(data: Bytes, at: Int, stop: Int, table: Marks) -> Int:
    """Where the tags of a flag that begin at byte `at` end, with their end tag; `at` if they name no subdivision."""
    begin = at
    for tags in range(_MOST_TAGS + 1):
        if at == stop:
            return begin
        kind, size = _marks_at(data, at, stop, table)
        at += size
        if kind == invisible.END_TAG:
            return at if tags >= _FEWEST_TAGS else begin
        if kind != invisible.TAG:
            return begin
    return begin


@kernel
def _joins(kind: Int, left: Int, right: Int, kept: Int, last: Int) -> bool:
    """Whether a joiner or non-joiner has a meaning behind `kept` invisible characters, `last` being that before it."""
    if kind == _JOINER and left & _EMOJI and right & invisible.PICTOGRAPH:
        return bool(kept == 0 or (kept == 1 and last == invisible.EMOJI_STYLE))
    if kept >= _MOST_JOINERS or last == kind:
        return False
    if left & invisible.VIRAMA or (kind == _JOINER and (left | right) & invisible.JOINING):
        return True
    return bool(left & right & invisible.WORD and (left | right) & _CONJOINING)


@kernel
def _varies(kind: Int, left: Int, right: Int) -> bool:
    """Whether a variation selector, right behind a character, has a meaning there."""
    if kind == invisible.EMOJI_STYLE:
        return bool(left & invisible.PICTOGRAPH or (left & invisible.KEYCAP_BASE and right & invisible.KEYCAP))
    if kind == invisible.VARIATION:
        return bool(left & invisible.VARIED)
    if kind == invisible.IDEOGRAPHIC_VARIATION:
        return bool(left & invisible.IDEOGRAPH)
    return bool(kind == invisible.MONGOLIAN_VARIATION and left & invisible.MONGOLIAN)


@kernel
def _parts(kind: Int, left: Int, right: Int) -> bool:
    """Whether a character that parts or binds its neighbours has a meaning between them, as the first that stays."""
    if kind == invisible.WORD_BREAK:
        return bool(left & right & invisible.UNSPACED)
    if kind == invisible.VOWEL_SEPARATOR:
        return bool(left & right & invisible.MONGOLIAN)
    if kind == invisible.GRAPHEME_JOINER:
        return bool(left & invisible.WORD and right & invisible.MARK)
    return bool(kind == invisible.COMPATIBILITY_FILLER and left & right & invisible.COMPATIBILITY_JAMO)


@kernel
def _means(mark: Int, left: Int, right: Int, kept: Int, last: Int) -> bool:
    """Whether an invisible character stays between two visible ones, of which `kept` invisible ones precede it, the
    last of kind `last`."""
    if mark & _NOTATION_FORMAT:
        return bool((left | right) & invisible.NOTATION)
    kind = mark & _KIND
    if kind in (_JOINER, _NON_JOINER):
        return _joins(kind, left, right, kept, last)
    if kind == invisible.LEADING_FILLER:
        return bool(kept == 0 and right & (invisible.VOWEL_JAMO | invisible.TRAILING_JAMO))
    if kind == invisible.VOWEL_FILLER:
        after = left & invisible.LEADING_JAMO and kept == 0
        return bool(after or (right & invisible.TRAILING_JAMO and last != kind))
    return kept == 0 and (_varies(kind, left, right) or _parts(kind, left, right))


@kernel
def _left(data: Bytes, first: Int, at: Int, table: Marks) -> Int:
    """The flags of the character before byte `at` > `first`, and of the marks before it if it is one."""
    flags: Int = 0
    for _ in range(_MOST_MARKS):
        stop = at
        at = last_character(data, first, stop)
        found = _marks_at(data, at, stop, table)[0]
        if flags and (not found & invisible.MARK or found & _KIND):
            break
        flags |= found
        if at == first or not found & invisible.MARK:
            break
    return flags


@kernel
def _right(data: Bytes, at: Int, stop: Int, table: Marks) -> Int:
    """The flags of the character at byte `at`, and of the marks behind it if it is one; 0 at the text's end."""
    flags: Int = 0
    for _ in range(_MOST_MARKS):
        if at == stop:
            break
        found, size = _marks_at(data, at, stop, table)
        if flags and (not found & invisible.MARK or found & _KIND):
            break
        flags |= found
        at += size
        if not found & invisible.MARK:
            break
    return flags


@kernel
def _run_end(data: Bytes, at: Int, stop: Int, table: Marks) -> Int:
    """Where the invisible characters from byte `at` end."""
    while at < stop:
        mark, size = _marks_at(data, at, stop, table)
        if mark & _KIND == 0:
            break
        at += size
    return at


@kernel
def _write_run(
    data: Bytes, at: Int, end: Int, left: Int, right: Int, table: Marks, out: Out[Bytes], to: Int
) -> tuple[Int, Int]:
    """Write those of the invisible characters data[at:end] that stay; returns where they end in `out`, and how many
    are left out."""
    gone: Int = 0
    kept: Int = 0
    last: Int = 0
    if left & invisible.BLACK_FLAG:
        tags = _tags(data, at, end, table)
        to = copy_bytes(data, at, tags, out, to)
        at = tags
    while at < end:
        mark, size = _marks_at(data, at, end, table)
        if _means(mark, left, right, kept, last):
            to = copy_bytes(data, at, at + size, out, to)
            kept += 1
            last = mark & _KIND
        else:
            gone += 1
        at += size
    return to, gone


@kernel
def _remove(data: Bytes, offsets: Indices, leads: Table, table: Marks, out: Out[Bytes], ends: Out[Indices]) -> Indices:
    """Write the texts to `out`, document d up to ends[d + 1]; returns int64[N], characters removed."""
    pad = np.empty(REACH, np.uint8)
    counts = np.zeros(offsets.size - 1, np.int64)
    to: Int = 0
    for document in range(offsets.size - 1):
        first = offsets[document]
        begin = first
        stop = offsets[document + 1]
        for block in range(begin, stop, BLOCK):
            bits = ~below(window(data, block, pad), 0xC0) & first_bits(stop - block)
            while bits:
                at = block + lowest(bits)
                bits &= bits - np.uint64(1)
                if at < begin or at + 1 == stop or not leads[256 * np.int64(data[at]) + data[at + 1]]:
                    continue
                if _marks_at(data, at, stop, table)[0] & _KIND == 0:
                    continue
                to = copy_bytes(data, begin, at, out, to)
                left: Int = _left(data, first, at, table) if at > first else 0
                begin = _run_end(data, at, stop, table)
                right = _right(data, begin, stop, table)
                to, gone = _write_run(data, at, begin, left, right, table, out, to)
                counts[document] += gone
        to = copy_bytes(data, begin, stop, out, to)
        ends[document + 1] = to
    return counts

"""Narrows spans to positions where a text can be cut without breaking a word or a user-perceived character.

A span loses the whitespace at its ends and the parts of words that it does not hold completely. It is never widened, so
only what was found is cut. A word is a run without whitespace, from its first letter, mark or digit to its last:
"e-mail", "don't" and "3.14" are one word each, and a comma or quotation mark beside a word may stay or go without it.
Scripts without spaces between words (Han, Kana, Thai, Lao, Khmer, Myanmar and others) may be cut between any two
grapheme clusters, beside other scripts too. Words of more than LONGEST bytes, such as addresses or minified code, may
also be cut beside a character that is no letter, mark or digit, and runs of more than LONGEST bytes of these, such as
encoded data, between any two clusters.

Grapheme clusters are the extended ones of Unicode Standard Annex 29: letters with their accents, syllables of Hangul,
conjuncts of Indic scripts, flags, sequences of emoji, and a carriage return with its line feed
(`curation/text/kernels/clusters.py`). N documents, S spans.
"""

import numpy as np
import pyarrow as pa

from curation.text.kernels import clusters
from curation.text.kernels.buffers import Bytes, Indices, offsets_of, text_buffers
from curation.text.kernels.clusters import Joins, cluster_joins
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.unicode import decode, last_character
from curation.text.merged_spans import span_lists

LONGEST = 128  # bytes of a word, or of a run of letters, marks and digits, that is never cut

_SPACE = 0x20
_NEWLINE = 0x0A
_JOINS = clusters.JOINS
_OPEN = clusters.BLANK | clusters.UNSPACED  # a text may be cut beside these
# A scan: the byte it has reached, the entry of the character before it, whether a linker ends there, whether half a
# flag does, whether the word there is long, and the run of letters, and whether the word has begun.
_AT, _BEFORE, _LINKED, _HALVED, _LONG, _LONG_RUN, _BEGUN = range(7)
_STATE = 7
_NOTHING = -1  # before a text, and behind it


def narrowed(text: pa.Array, spans: pa.Array) -> pa.ListArray:
    """SPANS[N] of text[N], narrowed, without those of which nothing is left. A null list becomes an empty one.

    The spans of a text ascend and do not overlap. To narrow them again changes nothing.
    """
    data, offsets = text_buffers(text)
    bounds = spans.flatten()
    starts, stops = (np.array(bounds.field(name), np.int64) for name in ("start", "stop"))
    first = offsets_of(np.asarray(spans.value_lengths().fill_null(0)))
    left = _narrow(data, offsets, cluster_joins(), first, starts, stops)
    return span_lists(first, starts[:left], stops[:left])


@kernel
def joins_at(data: Bytes, at: Int, stop: Int, table: Joins) -> tuple[Int, Int]:
    """The entry of `table`, which is `cluster_joins()`, of the character at byte `at` < `stop`, and its length."""
    code, size = decode(data, at, stop)
    return np.int64(table[np.int64(table[code >> 8]) + (code & 255)]), size


@kernel
def is_mark(entry: Int) -> bool:
    """Whether a character belongs to the one before it."""
    joins = entry & _JOINS
    return bool(joins == clusters.EXTEND or joins == clusters.SPACING or joins == clusters.ZERO_WIDTH_JOINER)


@kernel
def _one_syllable(before: Int, after: Int) -> bool:
    """Whether two classes of jamo or syllables of Hangul are of one syllable."""
    if before == clusters.LEADING:
        opens = after == clusters.LEADING or after == clusters.VOWEL
        return bool(opens or after == clusters.SYLLABLE or after == clusters.CLOSED_SYLLABLE)
    if before == clusters.VOWEL or before == clusters.SYLLABLE:
        return bool(after == clusters.VOWEL or after == clusters.TRAILING)
    closed = before == clusters.TRAILING or before == clusters.CLOSED_SYLLABLE
    return bool(closed and after == clusters.TRAILING)


@kernel
def _parted(before: Int, entry: Int, linked: bool, halved: bool) -> bool:
    """Whether a grapheme cluster ends between two characters."""
    last = before & _JOINS
    joins = entry & _JOINS
    if last == clusters.RETURN:
        return bool(joins != clusters.FEED)
    if clusters.FEED <= last <= clusters.CONTROL or clusters.RETURN <= joins <= clusters.CONTROL:
        return True
    if is_mark(entry) or last == clusters.PREPEND or (halved and joins == clusters.REGIONAL):
        return False
    if last == clusters.ZERO_WIDTH_JOINER and joins == clusters.PICTOGRAPH:
        return False
    return not (linked and entry & clusters.LETTER) and not _one_syllable(last, joins)


@kernel
def _ends_word(data: Bytes, at: Int, stop: Int, table: Joins) -> bool:
    """Whether no letter, mark or digit stands between byte `at` and the next place where any text may be cut."""
    while at < stop:
        entry, size = joins_at(data, at, stop, table)
        if entry & (_OPEN | clusters.WORD):
            return bool(entry & _OPEN)
        at += size
    return True


@kernel
def _in_word(data: Bytes, end: Int, table: Joins, state: Indices, entry: Int) -> bool:
    """Whether a scan has reached a place within a word, before a character that is no space."""
    before = state[_BEFORE]
    if before & entry & clusters.WORD:
        return bool(state[_LONG_RUN] == 0)
    if state[_LONG]:
        return False
    if entry & clusters.WORD:
        return bool(state[_BEGUN])
    return not (before & clusters.WORD and _ends_word(data, state[_AT], end, table))


@kernel
def _may_cut(data: Bytes, end: Int, table: Joins, state: Indices, entry: Int) -> bool:
    """Whether a text, which ends at `end`, may be cut before the character at the place that a scan has reached."""
    before = state[_BEFORE]
    if before == _NOTHING or entry == _NOTHING:
        return True
    if not (before | entry) & _OPEN and _in_word(data, end, table, state, entry):
        return False
    return _parted(before, entry, state[_LINKED] != 0, state[_HALVED] != 0)


@kernel
def _is_long(data: Bytes, at: Int, stop: Int, table: Joins, of: Int) -> bool:
    """Whether a word that begins at byte `at` has more than LONGEST bytes before a character without the flags `of`."""
    limit = at + LONGEST
    while at < stop and at <= limit:
        entry, size = joins_at(data, at, stop, table)
        if entry & _OPEN or entry & of != of:
            break
        at += size
    return bool(at > limit)


@kernel
def _step(data: Bytes, stop: Int, table: Joins, state: Out[Indices], entry: Int, size: Int) -> None:
    """Advance a scan by one character."""
    joins = entry & _JOINS
    if not entry & _OPEN:
        begins = state[_BEFORE] == _NOTHING or state[_BEFORE] & _OPEN
        if begins:
            state[_BEGUN] = 0
            state[_LONG] = _is_long(data, state[_AT], stop, table, 0)
        if entry & clusters.WORD and (begins or not state[_BEFORE] & clusters.WORD):
            state[_LONG_RUN] = _is_long(data, state[_AT], stop, table, clusters.WORD)
        state[_BEGUN] |= entry & clusters.WORD
    if entry & clusters.LINKER:
        state[_LINKED] = 1
    elif joins != clusters.EXTEND and joins != clusters.ZERO_WIDTH_JOINER:
        state[_LINKED] = 0
    state[_HALVED] = joins == clusters.REGIONAL and state[_HALVED] == 0
    state[_BEFORE] = entry
    state[_AT] += size


@kernel
def _skip(data: Bytes, target: Int, table: Joins, state: Out[Indices]) -> None:
    """Move a scan to the last end of a word before a space or line feed up to byte `target`, if there is any ahead."""
    for at in range(target, state[_AT], -1):
        if data[at] == _SPACE or data[at] == _NEWLINE:
            before, _ = joins_at(data, last_character(data, state[_AT], at), at, table)
            if not before & clusters.BLANK and before & _JOINS != clusters.PREPEND:
                state[:] = 0
                state[_AT] = at
                state[_BEFORE] = before
                return


@kernel
def _first_place(data: Bytes, start: Int, stop: Int, end: Int, table: Joins, state: Out[Indices]) -> Int:
    """The first place in [start, stop) where a span may begin; `stop` if there is none. The text ends at `end`."""
    _skip(data, start, table, state)
    while state[_AT] < stop:
        entry, size = joins_at(data, state[_AT], end, table)
        if state[_AT] >= start and not entry & clusters.BLANK and _may_cut(data, end, table, state, entry):
            return np.int64(state[_AT])
        _step(data, end, table, state, entry, size)
    return stop


@kernel
def _last_place(data: Bytes, start: Int, stop: Int, end: Int, table: Joins, state: Out[Indices]) -> Int:
    """The last place in (start, stop] where a span may end; `start` if there is none."""
    place = start
    if stop < end:
        _skip(data, stop, table, state)
    while state[_AT] <= stop:
        entry: Int = _NOTHING
        size: Int = 1
        if state[_AT] < end:
            entry, size = joins_at(data, state[_AT], end, table)
        solid = state[_AT] > start and not state[_BEFORE] & clusters.BLANK
        if solid and _may_cut(data, end, table, state, entry) and (entry == _NOTHING or not is_mark(entry)):
            place = np.int64(state[_AT])
        if state[_AT] >= end or state[_AT] == stop:
            break
        _step(data, end, table, state, entry, size)
    return place


@kernel
def _narrow(
    data: Bytes, offsets: Indices, table: Joins, first: Out[Indices], starts: Out[Indices], stops: Out[Indices]
) -> int:
    """Narrow the spans in place; those of document d are first[d] to first[d + 1] - 1. Returns how many remain."""
    left = 0
    span = np.int64(0)
    state = np.zeros(_STATE, np.int64)
    for document in range(offsets.size - 1):
        begin = offsets[document]
        end = offsets[document + 1]
        state[:] = 0
        state[_AT] = begin
        state[_BEFORE] = _NOTHING
        while span < first[document + 1]:
            stop = begin + stops[span]
            start = _first_place(data, begin + starts[span], stop, end, table, state)
            if start < stop:
                stop = _last_place(data, start, stop, end, table, state)
            if start < stop:
                starts[left] = start - begin
                stops[left] = stop - begin
                left += 1
            span += 1
        first[document + 1] = left
    return left

"""Where a text can be cut without breaking a word or what is seen as one character: spans narrowed to such places.

A span loses at its ends the parts of words that are not wholly in it, and the whitespace. It is never widened, so that
nothing is cut that was not found. A word is what stands between whitespace, with its punctuation. Scripts without
spaces between words (Han, Kana, Thai, Lao, Khmer, Myanmar and others) may be cut between any two grapheme clusters,
beside other scripts too. Words of more than LONGEST bytes, such as addresses or minified code, may also be cut beside a
character that is no letter, mark or digit, and runs of more than LONGEST bytes of these, such as encoded data, between
any two clusters.

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
# flag does, and whether the word there is long, and the run of letters.
_AT, _BEFORE, _LINKED, _HALVED, _LONG, _LONG_RUN = range(6)
_STATE = 6
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
def _may_cut(state: Indices, entry: Int) -> bool:
    """Whether a text may be cut before the character at the place that a scan has reached."""
    before = state[_BEFORE]
    if before == _NOTHING or entry == _NOTHING:
        return True
    if not (before | entry) & _OPEN:
        long = state[_LONG_RUN] if before & entry & clusters.WORD else state[_LONG]
        if long == 0:
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
    """Move a scan on behind the character that it has reached."""
    joins = entry & _JOINS
    if not entry & _OPEN:
        begins = state[_BEFORE] == _NOTHING or state[_BEFORE] & _OPEN
        if begins:
            state[_LONG] = _is_long(data, state[_AT], stop, table, 0)
        if entry & clusters.WORD and (begins or not state[_BEFORE] & clusters.WORD):
            state[_LONG_RUN] = _is_long(data, state[_AT], stop, table, clusters.WORD)
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
        if state[_AT] >= start and not entry & clusters.BLANK and _may_cut(state, entry):
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
        if solid and _may_cut(state, entry) and (entry == _NOTHING or not is_mark(entry)):
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

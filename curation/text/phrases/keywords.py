"""Where any of hundreds of keywords stands in texts, at one table look-up for each byte.

ASCII letters match in any case. A keyword may begin anywhere, also inside a word or inside another keyword. The lowest
five bits of a byte do not tell a capital from a small letter, so those of three bytes make the number of a trigram, and
a table says which keywords begin with it. N documents, H hits, T trigrams.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.text.kernels.buffers import Bytes, Indices, offsets_of, text_buffers
from curation.text.kernels.compiler.kernel import Int, Out, kernel, read_only
from curation.text.phrases.line_phrases import lower_phrases, same_in_any_case

_BITS = 5
_LOW = 31
_TRIGRAMS = 1 << 3 * _BITS
_ROOM = 8  # bytes of text for each hit that there is room for at first


class Keywords(NamedTuple):
    """The keywords data[offsets[k]:offsets[k + 1]], and those that begin with trigram t:
    members[first[t]:first[t + 1]]."""

    data: Bytes
    offsets: Indices
    begins: Bytes  # uint8[T]: 1 if a keyword begins with the trigram
    first: Indices  # int64[T + 1]
    members: Indices


class KeywordHits(NamedTuple):
    """int64[H] each, by document and place: the text, the keyword, and the byte of the buffer at which it begins."""

    document: Out[Indices]
    keyword: Out[Indices]
    start: Out[Indices]


def keyword_table(keywords: Sequence[str]) -> Keywords:
    """A table of distinct keywords in lower case. Raises ValueError for one that is empty or not in lower case."""
    data, offsets = lower_phrases(keywords) if keywords else (np.empty(0, np.uint8), np.zeros(1, np.int64))
    pairs = sorted((trigram, k) for k, word in enumerate(keywords) for trigram in _trigrams(word.encode()))
    counts = np.bincount([trigram for trigram, _ in pairs], minlength=_TRIGRAMS).astype(np.int64)
    members = np.array([k for _, k in pairs], np.int64)
    return read_only(Keywords(data, offsets, (counts > 0).astype(np.uint8), offsets_of(counts), members))


def find_keywords(array: pa.Array | pa.ChunkedArray, keywords: Keywords) -> KeywordHits:
    """Every place in text[N] at which a keyword stands."""
    data, offsets = text_buffers(array)
    room = int(offsets[-1] - offsets[0]) // _ROOM + 1024
    while True:
        hits = KeywordHits(*(np.empty(room, np.int64) for _ in range(3)))
        found = _find(data, offsets, keywords, hits)
        if found <= room:
            return KeywordHits(*(values[:found] for values in hits))
        room = found


def _trigrams(word: bytes) -> set[int]:
    """The trigrams that a keyword may begin with: of one of less than three bytes, all with any bytes after it."""
    made = [0]
    for place in range(3):
        lows = [word[place] & _LOW] if place < len(word) else range(_LOW + 1)
        made = [trigram << _BITS | low for trigram in made for low in lows]
    return set(made)


@kernel
def _find(data: Bytes, offsets: Indices, keywords: Keywords, hits: KeywordHits) -> int:
    """Fill `hits` as far as there is room. Returns how many there are."""
    words, bounds, begins, first, members = keywords
    documents, numbers, starts = hits
    count = 0
    room = documents.size
    for document in range(offsets.size - 1):
        begin = offsets[document]
        stop = offsets[document + 1]
        trigram = np.int64(0)
        for at in range(begin, stop + 2):  # two bytes beyond the end, for keywords of one or two bytes
            low = np.int64(data[at]) & 31 if at < stop else np.int64(0)
            trigram = (trigram << 5 | low) & 0x7FFF
            if begins[trigram] == 0 or at < begin + 2:
                continue
            start = at - 2
            for place in range(first[trigram], first[trigram + 1]):
                word = members[place]
                if same_in_any_case(data, start, stop, words, bounds[word], bounds[word + 1]):
                    if count < room:
                        documents[count] = document
                        numbers[count] = word
                        starts[count] = start
                    count += 1
    return count


class Reach(NamedTuple):
    """How far around a keyword a window goes: `before` and `after` characters, not counting those of the set `free`
    that come after `run` others of that set. Keywords without `following` bytes of the set `followed_by` right after
    them have no window. Sets are uint8[256]: 1 for the bytes in them."""

    before: int
    after: int
    free: Bytes
    run: int
    followed_by: Bytes
    following: int


def windows(
    array: pa.Array | pa.ChunkedArray, keywords: Keywords, hits: KeywordHits, reach: Reach
) -> npt.NDArray[np.int64]:
    """int64[W, 3]: document, first byte and byte after the last of the windows around hits in text[N], by document and
    place. Windows that touch or overlap are one; none leaves its document."""
    data, offsets = text_buffers(array)
    out = np.empty(3 * len(hits.start), np.int64)
    contiguous = read_only(KeywordHits(*map(np.ascontiguousarray, hits)))
    found = _windows(data, offsets, keywords.offsets, *contiguous, reach, out)
    return out.reshape(-1, 3)[:found]


@kernel
def _backward(data: Bytes, at: Int, begin: Int, characters: Int, free: Bytes, run: Int) -> Int:
    """The byte so many characters before byte `at`, at least `begin`."""
    length = np.int64(0)
    while at > begin and characters > 0:
        at -= 1
        byte = data[at]
        length = length + 1 if free[byte] else np.int64(0)
        if byte & 0xC0 != 0x80 and length <= run:
            characters -= 1
    while at > begin and data[at] & 0xC0 == 0x80:
        at -= 1
    return at


@kernel
def _followed(data: Bytes, at: Int, stop: Int, followed_by: Bytes, following: Int) -> bool:
    if at + following > stop:
        return False
    for k in range(following):  # noqa: SIM110  a generator does not compile
        if followed_by[data[at + k]] == 0:
            return False
    return True


@kernel
def _windows(
    data: Bytes,
    offsets: Indices,
    bounds: Indices,
    document: Indices,
    keyword: Indices,
    start: Indices,
    reach: Reach,
    out: Out[Indices],
) -> int:
    """Fill `out` with the windows. Returns how many there are."""
    before, after, free, run, followed_by, following = reach
    # `used`: what the characters from `tail` to `head` count
    count = 0
    used = np.int64(0)
    head = np.int64(-1)
    tail = np.int64(-1)
    head_run = np.int64(0)
    tail_run = np.int64(0)
    for hit in range(document.size):
        own = document[hit]
        word = keyword[hit]
        first = offsets[own]
        last = offsets[own + 1]
        end = start[hit] + bounds[word + 1] - bounds[word]
        if not _followed(data, end, last, followed_by, following):
            continue
        joins = count > 0 and out[3 * count - 3] == own
        if not joins or start[hit] >= head:
            head = start[hit]
            tail = start[hit]
            head_run = np.int64(0)
            tail_run = np.int64(0)
            used = np.int64(0)
        while tail < start[hit]:  # a byte is passed once by each end, however many hits there are
            tail_run = tail_run + 1 if free[data[tail]] else np.int64(0)
            used -= data[tail] & 0xC0 != 0x80 and tail_run <= run
            tail += 1
        while head < last:
            length = head_run + 1 if free[data[head]] else np.int64(0)
            counts = data[head] & 0xC0 != 0x80 and length <= run
            if counts and used == after:
                break
            used += counts
            head += 1
            head_run = length
        begin = start[hit]
        if not joins or begin > out[3 * count - 1]:  # a match that begins in the window before has its keyword there
            begin = _backward(data, begin, out[3 * count - 1] if joins else first, before, free, run)
        if joins and begin <= out[3 * count - 1]:
            out[3 * count - 1] = max(head, out[3 * count - 1])
            continue
        out[3 * count] = own
        out[3 * count + 1] = begin
        out[3 * count + 2] = head
        count += 1
    return count

"""What spans of text contain: classes of characters, fixed phrases at their ends, words of a short list.

N documents, S spans, P phrases. Phrases are compared byte by byte, as written, unless it says otherwise.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from numba import types

from curation.text.buffers import Bytes, Indices, phrase_buffers, text_buffers
from curation.text.compiled import BYTES, CODEPOINTS, INDICES, OUT_BOOLS, OUT_INT64, OUT_UINT64, TABLE, kernel
from curation.text.spans import Spans
from curation.text.unicode import class_of, classes, count_characters, decode, lower_cases, lower_of

Bools = npt.NDArray[np.bool_]

_MOST_WORDS = 64  # as many as a mask has bits


def contains_class(spans: Spans, flags: int) -> Bools:
    """bool[S]: whether any character of a span is of one of the classes in `flags` (see `unicode`)."""
    return _contains_class(spans.data, spans.starts, spans.stops, classes(), flags)


def starts_with(spans: Spans, phrases: Sequence[str]) -> Bools:
    """bool[S]: whether a span begins with one of the phrases."""
    return _starts_with(spans.data, spans.starts, spans.stops, *phrase_buffers(phrases))


def ends_with(spans: Spans, phrases: Sequence[str]) -> Bools:
    """bool[S]: whether a span ends with one of the phrases."""
    return _ends_with(spans.data, spans.starts, spans.stops, *phrase_buffers(phrases))


def count_phrases(array: pa.Array | pa.ChunkedArray, phrases: Sequence[str]) -> Indices:
    """int64[N]: occurrences of any of the phrases in text[N], from left to right and never overlapping.

    Where several phrases match at one place the first of them counts.
    """
    return _count_phrases(*text_buffers(array), *phrase_buffers(phrases))


def count_distinct(words: Spans, listed: Sequence[str]) -> Indices:
    """int64[N]: how many of the listed words, at most 64 and in lower case, occur in each document in any case.

    Raises ValueError for a longer list, and for a listed word that is not in lower case: it could never match.
    """
    if len(listed) > _MOST_WORDS or any(word != word.lower() for word in listed):
        raise ValueError(f"expected at most {_MOST_WORDS} words in lower case, got {len(listed)}: {listed!r}")
    data, offsets = phrase_buffers(listed)
    lengths = count_characters(data, offsets[:-1], offsets[1:])
    masks = _listed(words.data, words.starts, words.characters, data, offsets, lengths, lower_cases(), words.first)
    return np.bitwise_count(masks).astype(np.int64)


@kernel(OUT_BOOLS(BYTES, INDICES, INDICES, TABLE, types.int64))
def _contains_class(data: Bytes, starts: Indices, stops: Indices, table: npt.NDArray[np.uint16], flags: int) -> Bools:
    found = np.zeros(starts.size, np.bool_)
    for span in range(starts.size):
        at, stop = starts[span], stops[span]
        while at < stop:
            code, size = decode(data, at, stop)
            if class_of(table, code) & flags:
                found[span] = True
                break
            at += size
    return found


@kernel(types.boolean(BYTES, types.int64, types.int64, BYTES, types.int64, types.int64))
def _same_at(data: Bytes, at: int, stop: int, phrases: Bytes, first: int, last: int) -> bool:
    """Whether phrases[first:last] stands at byte `at` and ends by `stop`."""
    if at + last - first > stop:
        return False
    for k in range(last - first):  # noqa: SIM110  a generator does not compile
        if data[at + k] != phrases[first + k]:
            return False
    return True


@kernel(OUT_BOOLS(BYTES, INDICES, INDICES, BYTES, INDICES))
def _starts_with(data: Bytes, starts: Indices, stops: Indices, phrases: Bytes, offsets: Indices) -> Bools:
    found = np.zeros(starts.size, np.bool_)
    for span in range(starts.size):
        for phrase in range(offsets.size - 1):
            found[span] |= _same_at(data, starts[span], stops[span], phrases, offsets[phrase], offsets[phrase + 1])
    return found


@kernel(OUT_BOOLS(BYTES, INDICES, INDICES, BYTES, INDICES))
def _ends_with(data: Bytes, starts: Indices, stops: Indices, phrases: Bytes, offsets: Indices) -> Bools:
    found = np.zeros(starts.size, np.bool_)
    for span in range(starts.size):
        for phrase in range(offsets.size - 1):
            at = stops[span] - (offsets[phrase + 1] - offsets[phrase])
            if at >= starts[span]:
                found[span] |= _same_at(data, at, stops[span], phrases, offsets[phrase], offsets[phrase + 1])
    return found


@kernel(OUT_INT64(BYTES, INDICES, BYTES, INDICES))
def _count_phrases(data: Bytes, texts: Indices, phrases: Bytes, offsets: Indices) -> Indices:
    counts = np.zeros(texts.size - 1, np.int64)
    begins = np.zeros(256, np.bool_)
    for phrase in range(offsets.size - 1):
        begins[phrases[offsets[phrase]]] = True
    for document in range(texts.size - 1):
        at, stop = texts[document], texts[document + 1]
        while at < stop:
            step = 1
            if begins[data[at]]:
                for phrase in range(offsets.size - 1):
                    if _same_at(data, at, stop, phrases, offsets[phrase], offsets[phrase + 1]):
                        counts[document] += 1
                        step = offsets[phrase + 1] - offsets[phrase]
                        break
            at += step
    return counts


@kernel(types.boolean(BYTES, types.int64, BYTES, types.int64, types.int64, CODEPOINTS))
def _same_word(data: Bytes, at: int, listed: Bytes, first: int, last: int, table: npt.NDArray[np.int32]) -> bool:
    """Whether the characters at byte `at`, in lower case, are listed[first:last]."""
    while first < last:
        code, size = decode(data, at, data.size)
        other, other_size = decode(listed, first, last)
        if lower_of(table, code) != other:
            return False
        at += size
        first += other_size
    return True


@kernel(OUT_UINT64(BYTES, INDICES, INDICES, BYTES, INDICES, INDICES, CODEPOINTS, INDICES))
def _listed(
    data: Bytes,
    starts: Indices,
    characters: Indices,
    listed: Bytes,
    offsets: Indices,
    lengths: Indices,
    table: npt.NDArray[np.int32],
    first: Indices,
) -> npt.NDArray[np.uint64]:
    """uint64[N]: bit p is set where listed word p occurs; a word is compared with those of its length only."""
    masks = np.zeros(first.size - 1, np.uint64)
    longest = lengths.max() if lengths.size else 0
    begins = np.zeros(256, np.bool_)  # bytes that a listed word in any case may begin with
    begins[128:] = True
    for p in range(lengths.size):
        for byte in range(128):
            begins[byte] |= lower_of(table, byte) == listed[offsets[p]]
    for document in range(first.size - 1):
        for word in range(first[document], first[document + 1]):
            if characters[word] > longest or not begins[data[starts[word]]]:
                continue
            for p in range(lengths.size):
                if lengths[p] == characters[word] and _same_word(
                    data, starts[word], listed, offsets[p], offsets[p + 1], table
                ):
                    masks[document] |= np.uint64(1) << np.uint64(p)
    return masks

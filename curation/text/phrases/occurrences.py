"""How often fixed phrases occur in texts, found by their first bytes in a block of 64 at once. N documents."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from curation.text.kernels.blocks import BLOCK, REACH, equal, lowest, window
from curation.text.kernels.buffers import Bytes, Indices, phrase_buffers, text_buffers
from curation.text.kernels.compiled import kernel
from curation.text.spans import Spans


def count_phrases(array: pa.Array | pa.ChunkedArray, phrases: Sequence[str], *, any_case: bool = False) -> Indices:
    """int64[N]: occurrences of any of the phrases in text[N], from left to right and never overlapping.

    Where several phrases match at one place the first of them counts. With `any_case` ASCII capitals in the text match
    small letters in a phrase, which must then have no capitals (ValueError).
    """
    if any_case and any(phrase != phrase.lower() for phrase in phrases):
        raise ValueError(f"phrases to be found in any case are given in lower case, got {list(phrases)}")
    return _count_phrases(*text_buffers(array), *phrase_buffers(phrases), any_case)


def count_word(words: Spans, word: str) -> Indices:
    """int64[N]: words that are `word` in any case, which is given in lower case and has only ASCII letters."""
    equal_words = _are(words.data, words.starts, words.stops, *phrase_buffers((word,)))
    return words.total(equal_words)


@kernel
def stands_at(data: Bytes, at: int, phrases: Bytes, first: int, last: int, any_case: bool) -> bool:
    """Whether phrases[first:last] stands at byte `at`."""
    for k in range(last - first):
        byte = data[at + k]
        if any_case and 0x41 <= byte <= 0x5A:
            byte |= 0x20
        if byte != phrases[first + k]:
            return False
    return True


@kernel
def _beginnings(address: np.uint64, phrases: Bytes, first: int, last: int, any_case: bool) -> np.uint64:
    """Bits of a block at which the first four bytes of phrases[first:last] stand, or all where it is shorter."""
    bits = ~np.uint64(0)
    for k in range(min(last - first, 4)):
        byte = np.int64(phrases[first + k])
        here = equal(address + np.uint64(k), byte)
        if any_case and 0x61 <= byte <= 0x7A:
            here |= equal(address + np.uint64(k), byte - 0x20)
        bits &= here
    return bits


@kernel
def _count_phrases(data: Bytes, texts: Indices, phrases: Bytes, offsets: Indices, any_case: bool) -> Indices:
    counts, pad = np.zeros(texts.size - 1, np.int64), np.zeros(REACH, np.uint8)
    for document in range(texts.size - 1):
        stop, free = texts[document + 1], texts[document]
        for at in range(texts[document], stop, BLOCK):
            address, bits = window(data, at, pad), np.uint64(0)
            for phrase in range(offsets.size - 1):
                bits |= _beginnings(address, phrases, offsets[phrase], offsets[phrase + 1], any_case)
            while bits:
                place = at + lowest(bits)
                bits &= bits - np.uint64(1)
                for phrase in range(offsets.size - 1):
                    first, last = offsets[phrase], offsets[phrase + 1]
                    if place < free or place + last - first > stop:
                        continue
                    if stands_at(data, place, phrases, first, last, any_case):
                        counts[document] += 1
                        free = place + last - first
    return counts


@kernel
def _are(data: Bytes, starts: Indices, stops: Indices, phrase: Bytes, offsets: Indices) -> Indices:
    """int64[S]: 1 where a span is the phrase in any case, else 0."""
    found, size = np.zeros(starts.size, np.int64), offsets[1] - offsets[0]
    for span in range(starts.size):
        if stops[span] - starts[span] == size:
            found[span] = stands_at(data, starts[span], phrase, offsets[0], offsets[1], True)
    return found

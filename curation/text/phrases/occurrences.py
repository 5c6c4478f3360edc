"""How often fixed phrases occur in texts. N documents."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from curation.text.kernels.blocks import BLOCK, REACH, stands_at, window
from curation.text.kernels.buffers import Bytes, Indices, phrase_buffers, text_buffers
from curation.text.kernels.compiler.instructions import equal, lowest
from curation.text.kernels.compiler.kernel import kernel
from curation.text.phrases.line_phrases import lower_phrases, same_in_any_case
from curation.text.spans import TextSpans


def count_phrases(array: pa.Array | pa.ChunkedArray, phrases: Sequence[str], *, any_case: bool = False) -> Indices:
    """int64[N]: occurrences of any of the phrases in text[N], from left to right, without overlaps.

    The first of several phrases that match at one place counts. With `any_case` ASCII letters match in any case.
    Raises ValueError for an empty phrase, and with `any_case` for one that is not in lower case.
    """
    encoded = lower_phrases(phrases) if any_case else phrase_buffers(phrases)
    return _count_phrases(*text_buffers(array), *encoded, any_case)


def count_word(words: TextSpans, word: str) -> Indices:
    """int64[N]: words that are `word` in any case; `word` is ASCII letters in lower case."""
    return words.total(_are(words.data, words.starts, words.stops, *phrase_buffers((word,))))


@kernel
def _beginnings(address: np.uint64, phrases: Bytes, first: int, last: int, any_case: bool) -> np.uint64:
    """The bytes of a block at which phrases[first:last] may begin, by its first four bytes."""
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
    counts = np.zeros(texts.size - 1, np.int64)
    pad = np.zeros(REACH, np.uint8)
    for document in range(texts.size - 1):
        stop = texts[document + 1]
        free = texts[document]
        for at in range(texts[document], stop, BLOCK):
            address = window(data, at, pad)
            bits = np.uint64(0)
            for phrase in range(offsets.size - 1):
                bits |= _beginnings(address, phrases, offsets[phrase], offsets[phrase + 1], any_case)
            while bits:
                place = at + lowest(bits)
                bits &= bits - np.uint64(1)
                for phrase in range(offsets.size - 1):
                    first = offsets[phrase]
                    last = offsets[phrase + 1]
                    if place < free:
                        continue
                    if stands_at(data, place, stop, phrases, first, last) or (
                        any_case and same_in_any_case(data, place, stop, phrases, first, last)
                    ):
                        counts[document] += 1
                        free = place + last - first
    return counts


@kernel
def _are(data: Bytes, starts: Indices, stops: Indices, phrase: Bytes, offsets: Indices) -> Indices:
    """int64[S]: 1 if a span is the phrase in any case, else 0."""
    matching = np.zeros(starts.size, np.int64)
    size = offsets[1] - offsets[0]
    for span in range(starts.size):
        if stops[span] - starts[span] == size:
            matching[span] = same_in_any_case(data, starts[span], stops[span], phrase, offsets[0], offsets[1])
    return matching

"""Lines, paragraphs or other spans that a document holds more than once.

Of k equal spans, k are copies and k - 1 are later ones. Spans are first compared by length and ends, so those that
occur once are rarely read whole. N documents.
"""

from typing import NamedTuple

import numpy as np

from curation.core.shared_measures import shared
from curation.text.duplicate_keys import count_keys, key_room, largest, sieve
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.instructions import address_of
from curation.text.kernels.compiler.kernel import Out, kernel
from curation.text.kernels.hash_table import factor
from curation.text.spans import TextSpans
from curation.text.words import sketch, span_hash


class Repeats(NamedTuple):
    """int64[N] each: spans that occur more than once in a document, and their characters."""

    later: Out[Indices]  # copies after the first
    later_characters: Out[Indices]
    copies: Out[Indices]  # including the first
    copy_characters: Out[Indices]


@shared
def count_repeats(spans: TextSpans) -> Repeats:
    """Spans are equal if their 64-bit hashes are."""
    repeats = Repeats(*np.zeros((4, len(spans.first) - 1), np.int64))
    _count_repeats(spans.data, spans.starts, spans.stops, spans.characters, spans.first, factor(), repeats)
    return repeats


@kernel
def _count_repeats(
    data: Bytes, starts: Indices, stops: Indices, characters: Indices, first: Indices, by: np.uint64, out: Repeats
) -> None:
    """A negative count marks a key that has occurred."""
    later, later_characters, copies, copy_characters = out
    most = largest(first)
    base = address_of(data)
    size = data.size
    room = key_room(most, by)
    keys = room.keys
    places = room.places
    numbers = room.numbers
    counts = room.counts
    for document in range(first.size - 1):
        begin = first[document]
        spans = first[document + 1] - first[document]
        for k in range(spans):
            start = starts[begin + k]
            stop = stops[begin + k]
            keys[k] = sketch(base, start, stop, size) if start < stop else np.uint64(0)
            places[k] = k
        spans = sieve(room, spans)
        for k in range(spans):
            start = starts[begin + places[k]]
            stop = stops[begin + places[k]]
            keys[k] = span_hash(base, start, stop, size) if start < stop else np.uint64(0)
        spans = count_keys(room, spans)
        copies[document] = spans
        for k in range(spans):
            number = numbers[k]
            length = characters[begin + places[k]]
            copy_characters[document] += length
            if counts[number] < 0:
                later[document] += 1
                later_characters[document] += length
            counts[number] = -abs(counts[number])

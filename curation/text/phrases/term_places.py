"""Where terms stand in texts and how often, with a list for each document, as `terms` defines terms and words.

N documents, H places.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.unicode import Cases, decode
from curation.text.phrases.terms import CODE_BITS, GAP, JOINS, SIGN, Terms, characters_and_kinds, longest, pair_of

_PLACES = 1 << 14  # that fit into a buffer at first


class TermPlaces(NamedTuple):
    """By document, then by place: int64[H] each; and the words of each document."""

    documents: Indices
    terms: Indices  # number of the term in the list
    words: Indices  # number, in its document, of the term's first word
    totals: Indices  # int64[N]


class TermCounts(NamedTuple):
    """int64[N] each."""

    terms: Indices
    words: Indices
    words_in_terms: Indices


def find_terms(array: pa.Array | pa.ChunkedArray, terms: Terms) -> TermPlaces:
    """Where the terms of the tree's first list stand in text[N]."""
    return _places(array, terms, np.zeros(len(array), np.int64))[0]


def count_terms(array: pa.Array | pa.ChunkedArray, terms: Terms, lists: Indices) -> TermCounts:
    """The counts of text[N], document d by list lists[d]; all are 0 if that is -1."""
    places, inside = _places(array, terms, lists)
    return TermCounts(np.bincount(places.documents, minlength=len(lists)), places.totals, inside)


def _places(array: pa.Array | pa.ChunkedArray, terms: Terms, lists: Indices) -> tuple[TermPlaces, Indices]:
    """The places of terms of each document's list, and int64[N]: words in them."""
    data, offsets = text_buffers(array)
    places = np.empty((_PLACES, 3), np.int64)
    totals, inside = np.zeros((2, len(lists)), np.int64)
    done = list[Indices]()
    tree = (terms.edges, terms.firsts, terms.numbers, characters_and_kinds())
    document = 0
    while document < len(lists):
        following, filled = _find(data, offsets, document, lists, *tree, places, totals, inside)
        done.append(places[:filled].copy())
        if following == document:  # it has more places than fit
            places = np.empty((2 * len(places), 3), np.int64)
        document = int(following)
    every = np.concatenate([np.empty((0, 3), np.int64), *done])
    return TermPlaces(every[:, 0], every[:, 1], every[:, 2], totals), inside


@kernel
def _find(
    data: Bytes,
    offsets: Indices,
    begin: Int,
    lists: Indices,
    edges: Hashes,
    firsts: Bytes,
    numbers: Indices,
    characters: Cases,
    places: Out[Grid[Indices]],
    totals: Out[Indices],
    inside: Out[Indices],
) -> tuple[Int, Int]:
    """Fill `places` int64[P, 3] with document, term and word, from the document `begin` on while whole documents fit.
    Returns the next document and the number of places. `totals` int64[N] are the words, `inside` those in terms."""
    filled = 0
    for document in range(begin, totals.size):
        at = offsets[document]
        stop = offsets[document + 1]
        root = lists[document]
        first = filled
        free = at
        before = GAP
        words = 0
        covered = 0
        while at < stop and root >= 0:
            code, size = decode(data, at, stop)
            char = np.int64(characters[code])
            kind = int(char) >> CODE_BITS
            if kind != GAP and (kind != JOINS or before != JOINS):
                second = 0 if at + size == stop else np.int64(characters[decode(data, at + size, stop)[0]])
                if at >= free and firsts[pair_of(root, char, second)]:
                    free, node = longest(data, at, stop, root, edges, characters)
                    if free > at:
                        if filled == places.shape[0]:
                            return document, first
                        places[filled, 0] = document
                        places[filled, 1] = numbers[node]
                        places[filled, 2] = words
                        filled += 1
                words += kind != SIGN
                covered += kind != SIGN and at < free
            before = kind
            at += size
        totals[document] = words
        inside[document] = covered
    return totals.size, filled

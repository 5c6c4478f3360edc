"""Stop words of each document's own language: how many stand in it, and how many different ones.

N documents, G groups of documents with the same stop words, E different words of all groups.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Grid, Out, kernel
from curation.text.phrases.string_set import Entries, entries, find
from curation.text.spans import word_spans

Groups = tuple[tuple[str, ...], ...]


def count_stop_words(
    array: pa.Array | pa.ChunkedArray, groups: Indices, words: Sequence[tuple[str, ...]], *, any_case: bool
) -> tuple[Indices, Indices]:
    """(int64[N]: stop words in text[N]; int64[N]: different ones). Document n has the `words` of the group groups[n],
    and counts 0 where that is -1. With `any_case` they match in any case."""
    known, members = _entries(tuple(words), any_case)
    spans = word_spans(pc.utf8_lower(array) if any_case else array)
    total, different = np.zeros((2, len(groups)), np.int64)
    _count(spans.data, spans.starts, spans.stops, spans.first, groups, known, members, total, different)
    return total, different


@lru_cache(maxsize=16)
def _entries(words: Groups, any_case: bool) -> tuple[Entries, npt.NDArray[np.uint8]]:
    """The set of all words, and uint8[G, E]: 1 where a word belongs to a group."""
    sets = [{word.lower() if any_case else word for word in group} for group in words]
    every = sorted(set[str]().union(*sets))
    members = np.array([[word in group for word in every] for group in sets], np.uint8).reshape(len(sets), len(every))
    return entries(every), members


@kernel
def _count(
    data: Bytes,
    starts: Indices,
    stops: Indices,
    first: Indices,
    groups: Indices,
    known: Entries,
    members: Grid[Bytes],
    total: Out[Indices],
    different: Out[Indices],
) -> None:
    seen = np.full(known.offsets.size, -1, np.int64)  # the last document with each word
    for document in range(groups.size):
        group = groups[document]
        for span in range(first[document], first[document + 1] if group >= 0 else first[document]):
            entry = find(data, starts[span], stops[span], known)
            if entry >= 0 and members[group, entry]:
                total[document] += 1
                different[document] += seen[entry] != document
                seen[entry] = document

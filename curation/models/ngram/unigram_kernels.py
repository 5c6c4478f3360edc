"""Counts words in a table of fixed size, and compares each text's counts with those of a corpus. N documents, V words.

Tables are those of `hash_table.py` with at most half of their slots used; `by` is its `factor()`.

D is the Kullback-Leibler divergence of a text's words from the corpus'. With n words, n_w of them the word w,

    D = sum over w of n_w / n * (log(n_w / n) - log q_w)
      = (sum of n_w log n_w - sum over all words of log q_w) / n - log n

in which all unlisted words are one outcome. A text's counts need no table of their own: they lie beside the slots of
the corpus' words and are reset afterwards.
"""

import math

import numpy as np
import numpy.typing as npt

from curation.text.folded_words import Folding, next_words
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Out, kernel
from curation.text.kernels.hash_table import find_slot, hash_shift, home_of
from curation.text.kernels.hashing import Hashes

Counts = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]

PIECE = 1024  # words


@kernel
def count_words(
    data: Bytes,
    offsets: Indices,
    folding: Folding,
    keys: Out[Hashes],
    counts: Out[Counts],
    by: np.uint64,
    state: Out[Indices],
) -> None:
    """Add words to the table until the texts end or more than half of its slots are used.

    `keys` and `counts` are uint64 of the table's size. `state` int64[3] holds where to begin and then where it stopped:
    the document (N at the end), the byte in `data`, and the slots used.
    """
    first, table, lower = folding
    words = np.empty(PIECE, np.uint64)
    most = keys.size // 2
    shift = hash_shift(keys.size)
    document = state[0]
    at = state[1]
    used = state[2]
    while document < offsets.size - 1 and used <= most:
        stop = offsets[document + 1]
        while at < stop and used <= most:
            read, at = next_words(data, at, stop, first, table, lower, words)
            for k in range(read):
                word = words[k]
                slot = find_slot(keys, word, home_of(word, by, shift))
                used += np.int64(counts[slot] == 0)
                keys[slot] = word
                counts[slot] += np.uint64(1)
        document += np.int64(at >= stop)
    state[0] = document
    state[1] = at
    state[2] = used


@kernel
def lookup_table(hashes: Hashes, values: Floats, by: np.uint64, keys: Out[Hashes], slots: Out[Floats]) -> None:
    """Put float64[V] values into a table, by their words' hashes."""
    shift = hash_shift(keys.size)
    for word in range(hashes.size):
        slot = find_slot(keys, hashes[word], home_of(hashes[word], by, shift))
        keys[slot] = hashes[word]
        slots[slot] = values[word]


@kernel
def divergences(
    data: Bytes,
    offsets: Indices,
    folding: Folding,
    keys: Hashes,
    logarithms: Floats,
    unlisted_logarithm: float,
    by: np.uint64,
    counts: Out[npt.NDArray[np.int32]],
    divergence: Out[Floats],
    unlisted: Out[Floats],
) -> None:
    """Fill `divergence` with each document's D and `unlisted` with its share of unlisted words; NaN if it has no words.

    `logarithms` holds log q_w by slot, `unlisted_logarithm` that of unlisted words. `counts` is all 0 before and after.
    """
    first, table, lower = folding
    shift = hash_shift(keys.size)
    words = np.empty(PIECE, np.uint64)
    touched = np.empty(keys.size, np.int64)
    for document in range(offsets.size - 1):
        at = offsets[document]
        stop = offsets[document + 1]
        total = 0
        others = 0
        distinct = np.int64(0)
        cost = 0.0
        while at < stop:
            read, at = next_words(data, at, stop, first, table, lower, words)
            total += read
            for k in range(read):
                word = words[k]
                slot = find_slot(keys, word, home_of(word, by, shift))
                if keys[slot]:
                    touched[distinct] = slot
                    distinct += np.int64(counts[slot] == 0)
                    counts[slot] += 1
                else:
                    others += 1
        for place in range(distinct):
            slot = touched[place]
            times = np.float64(counts[slot])
            cost += times * (math.log(times) - logarithms[slot])
            counts[slot] = 0
        if others:
            cost += others * (math.log(others) - unlisted_logarithm)
        # Rounding may leave a divergence of 0 slightly negative.
        divergence[document] = max(0.0, cost / total - math.log(total)) if total else np.nan
        unlisted[document] = others / total if total else np.nan

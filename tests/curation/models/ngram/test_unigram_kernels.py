"""Counting into a table that fills up, merging, and the look-up of corpus words."""

from collections import Counter

import numpy as np
from hypothesis import given

from curation.models.ngram.unigram_kernels import PIECE, count_words, lookup_table
from curation.text.folded_words import folding
from curation.text.kernels.buffers import text_buffers
from tests.curation.text.slow_words import folded_words
from tests.curation.text.texts import batches, sliced

ONE = np.uint64(1)  # in place of a factor: a word's home is the upper part of its hash


def counted(texts: list[str | None], slots: int) -> list[int]:
    """All counts, ascending, of a table that is emptied whenever the kernel stops."""
    data, offsets = text_buffers(sliced(texts))
    total: Counter[int] = Counter()
    state = np.array([0, offsets[0], 0], np.int64)
    while state[0] < len(texts):
        keys = np.zeros(slots, np.uint64)
        counts = np.zeros(slots, np.uint64)
        state[2] = 0
        count_words(data, offsets, folding(), keys, counts, ONE, state)
        assert np.count_nonzero(counts) == state[2]
        total.update(dict(zip(keys[counts > 0].tolist(), counts[counts > 0].tolist(), strict=True)))
    return sorted(total.values())


@given(batches)
def test_counts_are_those_of_the_slow_reading(texts: list[str | None]) -> None:
    slow = Counter(word for text in texts for word in folded_words(text or ""))
    assert counted(texts, 1024) == sorted(slow.values())


def test_a_table_that_is_full_is_left_where_it_can_go_on() -> None:
    words = [f"{chr(97 + k % 26)}{chr(97 + k // 26 % 26)}{chr(97 + k // 676)}" for k in range(5 * PIECE)]
    assert counted([" ".join(words[:3000]), " ".join(words)], 4 * PIECE) == [1] * (5 * PIECE - 3000) + [2] * 3000


def test_words_of_one_slot_are_told_apart() -> None:
    hashes = np.array([2**63 + 1, 2**63 + 2, 2**63 + 3, 2**64 - 1], np.uint64)
    keys = np.zeros(16, np.uint64)
    slots = np.zeros(16, np.float64)
    lookup_table(hashes, np.array([-1.0, -2.0, -3.0, -4.0]), ONE, keys, slots)
    assert dict(zip(keys.tolist(), slots.tolist(), strict=True)) == {
        0: 0.0,
        **dict(zip(hashes.tolist(), [-1.0, -2.0, -3.0, -4.0], strict=True)),
    }

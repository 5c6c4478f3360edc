"""Means of feature vectors against plain Python, on models small enough that n-grams collide. See test_fasttext.py."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.models.fasttext.features import Features, mean_vectors
from curation.models.text_windows import Windows
from curation.text.phrases.string_set import entries_of

NAMES = ["</s>", "sugar", "a", "é"]
BUCKETS = 37


def fnv(text: str) -> int:
    state = 2166136261
    for byte in text.encode():
        state = (state ^ (byte - 256 if byte > 127 else byte) % 2**32) * 16777619 % 2**32
    return state


def features(text: str, least: int, most: int, words: int) -> list[int]:
    """Rows in the order of words, then buckets, every one with a row of its own."""
    tokens = [token for token in text.replace("\0", " ").split(" ") if token]
    found = []
    for token in [*tokens, "</s>"]:
        found += [NAMES.index(token)] if token in NAMES else []
        marked = f"<{token}>" if token != "</s>" else ""
        for begin in range(len(marked)):
            for size in range(max(least, 1), most + 1):
                gram = marked[begin : begin + size]
                if len(gram) == size and gram not in ("<", ">"):
                    found.append(len(NAMES) + fnv(gram) % BUCKETS)
    hashes = [fnv(token) - 2**32 * (fnv(token) >= 2**31) for token in [*tokens, "</s>"]]
    for begin in range(len(hashes)):
        state = hashes[begin]
        for other in hashes[begin + 1 : begin + words]:
            state = (state * 116049371 + other) % 2**64
            found.append(len(NAMES) + state % 2**64 % BUCKETS)
    return found


@pytest.mark.parametrize(("least", "most", "words"), [(0, 0, 1), (1, 1, 1), (2, 4, 1), (1, 6, 3), (0, 0, 2)])
@given(st.lists(st.sampled_from(["sugar", "a", "é", "中文字", "sugars", "\0", "x y", "😀"]), max_size=8).map(" ".join))
def test_the_mean_of_all_features(least: int, most: int, words: int, text: str) -> None:
    rows = np.eye(len(NAMES) + BUCKETS, dtype=np.float32)
    buckets = np.arange(len(NAMES), len(NAMES) + BUCKETS, dtype=np.int32)
    buckets[::5] = -1
    names = np.frombuffer("".join(NAMES).encode(), np.uint8)
    offsets = np.cumsum([0, *(len(name.encode()) for name in NAMES)]).astype(np.int64)
    data = np.frombuffer(b"?" + text.encode(), np.uint8)
    window = Windows(data, np.array([1]), np.array([len(data)]), np.array([0, 1]))
    present = np.packbits(buckets >= 0, bitorder="little")
    model = Features(entries_of(names, offsets), 0, least, most, words, present, buckets, rows)
    vectors, found = mean_vectors(window, model)
    kept = [row for row in features(text, least, most, words) if row < len(NAMES) or buckets[row - len(NAMES)] >= 0]
    expected = np.bincount(kept, minlength=len(rows)) / len(kept)
    np.testing.assert_allclose(vectors[0], expected, atol=1e-6)
    assert found[0] == bool(text.replace("\0", " ").split())

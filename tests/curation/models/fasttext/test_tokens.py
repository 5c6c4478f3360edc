"""Words of a model, found by their hash."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from curation.models.fasttext.tokens import find_word, is_marker, word_hash, word_table


def as_bytes(text: str) -> "np.ndarray[tuple[int], np.dtype[np.uint8]]":
    return np.frombuffer(text.encode(), np.uint8)


def test_hashes_take_bytes_for_signed_numbers() -> None:
    assert word_hash(as_bytes(""), 0, 0) == 2166136261
    assert word_hash(as_bytes("a"), 0, 1) == 0xE40C292C  # the published FNV-1a of "a"
    assert word_hash(as_bytes("é"), 0, 1) == (2166136261 ^ 0xFFFFFFC3) * 16777619 % 2**32


@given(st.lists(st.text(min_size=1, max_size=6), max_size=40, unique=True), st.text(max_size=6))
def test_words_are_found_and_others_are_not(names: list[str], other: str) -> None:
    words = as_bytes("".join(names))
    offsets = np.cumsum([0, *(len(name.encode()) for name in names)]).astype(np.int64)
    table = word_table(words, offsets)
    for name in [*names, other]:
        found = find_word(as_bytes(name), 0, len(name.encode()), words, offsets, table)
        assert found == (names.index(name) if name in names else -1)


def test_markers() -> None:
    assert is_marker(as_bytes("__label__en"), 0, 11)
    assert is_marker(as_bytes("</s>"), 0, 4)
    assert not is_marker(as_bytes("__label_en_"), 0, 11)
    assert not is_marker(as_bytes("__label"), 0, 7)
    assert not is_marker(as_bytes("</s>>"), 0, 5)
    assert not is_marker(as_bytes("</s"), 0, 3)

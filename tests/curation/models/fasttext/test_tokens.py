"""Hashes of tokens, and tokens that are no words."""

import numpy as np

from curation.models.fasttext.tokens import is_marker, word_hash


def as_bytes(text: str) -> "np.ndarray[tuple[int], np.dtype[np.uint8]]":
    return np.frombuffer(text.encode(), np.uint8)


def test_hashes_take_bytes_for_signed_numbers() -> None:
    assert word_hash(as_bytes(""), 0, 0) == 2166136261
    assert word_hash(as_bytes("a"), 0, 1) == 0xE40C292C  # the published FNV-1a of "a"
    assert word_hash(as_bytes("é"), 0, 1) == (2166136261 ^ 0xFFFFFFC3) * 16777619 % 2**32


def test_markers() -> None:
    assert is_marker(as_bytes("__label__en"), 0, 11)
    assert is_marker(as_bytes("</s>"), 0, 4)
    assert not is_marker(as_bytes("__label_en_"), 0, 11)
    assert not is_marker(as_bytes("__label"), 0, 7)
    assert not is_marker(as_bytes("</s>>"), 0, 5)
    assert not is_marker(as_bytes("</s"), 0, 3)

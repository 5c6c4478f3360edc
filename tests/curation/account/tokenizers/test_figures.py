"""Each figure by hand."""

import numpy as np

from curation.account.tokenizers.figures import (
    Embedding,
    Token,
    embedding_of,
    group_of,
    listed,
    rank_curve,
    token_of,
    top_shares,
)
from curation.account.tokenizers.token_groups import GroupSums

TOKENS: list[bytes | str] = ["<|endoftext|>", b"a", b" cat", b"\xc3"]
COUNTS = np.array([9, 5, 2, 0])


def test_a_group() -> None:
    found = group_of("language", "de", GroupSums(documents=3, bytes=120, characters=100, words=20), 40, 50)
    assert (found.tokens_per_word, found.bytes_per_token, found.characters_per_token) == (2.0, 3.0, 2.5)
    assert found.relative_tokens == 0.8


def test_a_group_without_text() -> None:
    found = group_of("language", "de", GroupSums(documents=1), 0, None)
    assert (found.tokens_per_word, found.bytes_per_token, found.relative_tokens) == (0.0, 0.0, None)


def test_tokens() -> None:
    assert token_of(2, TOKENS, COUNTS) == Token(id=2, text=" cat", bytes=4, count=2)
    assert token_of(3, TOKENS, COUNTS) == Token(id=3, text="\\xc3", bytes=1, count=0)


def test_lists_are_cut() -> None:
    found = listed([1] * 30, 60, TOKENS, COUNTS)
    assert (found.tokens, found.share, len(found.examples)) == (30, 0.5, 20)


def test_embedding_tables() -> None:
    assert embedding_of(32_768, 768) == Embedding(768, 25_165_824, 50_331_648, 50_331_648, 100_663_296)


def test_shares_of_the_most_frequent() -> None:
    assert top_shares(np.array([5, 3, 1, 1]), (1, 2, 4)) == {"1": 0.5, "2": 0.8}
    assert top_shares(np.array([0, 0]), (1,)) == {"1": 0.0}


def test_ranks() -> None:
    assert rank_curve(np.array([9, 4, 1, 0])) == ((1, 9), (2, 4), (3, 1))
    assert rank_curve(np.array([0])) == ()
    curve = rank_curve(np.arange(100_000, 0, -1))
    assert len(curve) <= 200
    assert (curve[0], curve[-1]) == ((1, 100_000), (100_000, 1))

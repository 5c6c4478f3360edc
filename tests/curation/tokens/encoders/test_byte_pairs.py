"""Ranks follow the merges, ids are looked up by rank, and merges that tiktoken would read otherwise are refused."""

from typing import Any

import pytest

from curation.tokens.encoders import byte_level, byte_pairs
from curation.tokens.encoders.word_pattern import Inexpressible
from tests.curation.tokens import byte_pair_files as files


def stated(*merges: str, more: tuple[str, ...] = (), **options: Any) -> dict[str, Any]:
    """Single bytes, then what the merges make, then `more`; ids from 10 on."""
    names = dict.fromkeys([*byte_level.BYTES, *(pair.replace(" ", "") for pair in merges), *more])
    vocabulary = {name: number for number, name in enumerate(names, 10)}
    given = files.stated(vocab=vocabulary, merges=list(merges), **options)
    return given | {"added_tokens": []}


def test_ranks_follow_the_merges_and_ids_the_vocabulary() -> None:
    ranks, ids = byte_pairs.ranks(stated("b c", "a bc", "Ġ abc"))
    assert [ranks[b"bc"], ranks[b"abc"], ranks[b" abc"]] == [256, 257, 258]
    assert ids.tolist() == list(range(10, 10 + 259))
    assert sorted(ranks.values()) == list(range(259))


def test_merges_as_pairs_are_read_like_merges_as_text() -> None:
    pairs = stated("b c", "a bc")
    pairs["model"]["merges"] = [["b", "c"], ["a", "bc"]]
    assert byte_pairs.ranks(pairs)[0] == byte_pairs.ranks(stated("b c", "a bc"))[0]


def test_tokens_that_no_merge_makes_have_no_rank() -> None:
    ranks, ids = byte_pairs.ranks(stated("b c", more=("<|endoftext|>",)))
    assert len(ranks) == len(ids) == 257


def test_every_pair_of_a_token_may_be_listed() -> None:
    merges = ("a b", "b c", "ab c", "a bc")
    ranks, _ = byte_pairs.ranks(stated(*merges, ignore_merges=True))
    assert (ranks[b"ab"], ranks[b"bc"], ranks[b"abc"]) == (256, 257, 258)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        pytest.param(stated("a b", "b c", "a bc"), "do not lead to its token 'abc'", id="unreachable"),
        pytest.param(stated("a b", "b c", "ab c", "b d", "a bc"), "make a token twice", id="pairs apart"),
        pytest.param(
            stated("a b", "b c", "c d", "ab c", "a bc", "ab cd", ignore_merges=True), "'abcd', but not", id="some pairs"
        ),
        pytest.param(stated("a b", more=("xyz",), ignore_merges=True), r"that no merge makes \(1 tokens\)", id="whole"),
        pytest.param(stated("a b", dropout=0.1), "option dropout", id="dropout"),
        pytest.param(stated("a b", end_of_word_suffix="</w>"), "option end_of_word_suffix", id="suffix"),
        pytest.param(stated("a b", type="WordPiece"), "WordPiece, not BPE", id="model"),
        pytest.param(stated("a b c"), "other than pairs", id="three"),
    ],
)
def test_refused(given: dict[str, Any], why: str) -> None:
    with pytest.raises(Inexpressible, match=why):
        byte_pairs.ranks(given)


def test_a_byte_that_is_no_token() -> None:
    given = stated("a b")
    del given["model"]["vocab"]["z"]
    with pytest.raises(Inexpressible, match="lacks 'z'"):
        byte_pairs.ranks(given)

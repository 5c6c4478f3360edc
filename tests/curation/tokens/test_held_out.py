"""Few documents: whole ones that make up the share, copies on one side."""

import random

import pytest

from curation.tokens.encode import Encode
from curation.tokens.held_out import EncodeFew, choose, few_sources
from tests.support import documents


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        pytest.param(10, (), id="every book is longer"),
        pytest.param(20, (), id="the shortest, of 40, misses by as much as nothing"),
        pytest.param(21, (4,), id="the shortest is nearer than nothing"),
        pytest.param(50, (4,), id="the first that fits"),
        pytest.param(60, (1,), id="the first in order"),
        pytest.param(90, (1, 4), id="with the shortest, 100 is nearer than 60"),
        pytest.param(100, (1, 4), id="all that fits"),
        pytest.param(300, (1, 2, 3, 4), id="more than there is"),
    ],
)
def test_whole_documents_in_the_order_of_their_draws(wanted: float, expected: tuple[int, ...]) -> None:
    books = [(1, 60), (2, 70), (3, 80), (4, 40)]
    assert choose({"books": books}, {"books": wanted}) == expected
    assert choose({"books": books[::-1]}, {"books": wanted}) == expected


def test_what_belongs_together_is_taken_together() -> None:
    """Two documents of draw 1, one in each source: news lacks 30, so that the 40 of both do not fit."""
    candidates = {"books": [(1, 40), (2, 50)], "news": [(1, 40), (3, 20), (3, 5)]}
    assert choose(candidates, {"books": 100, "news": 30}) == (2, 3)
    assert choose(candidates, {"books": 100, "news": 70}) == (1, 2, 3)


def test_the_share_is_met_within_the_shortest_document_that_is_left() -> None:
    for seed in range(50):
        rng = random.Random(seed)
        books = [(rng.getrandbits(64), rng.randint(1, 1000)) for _ in range(rng.randint(2, 300))]
        wanted = 0.05 * sum(size for _, size in books)
        chosen = choose({"books": books}, {"books": wanted})
        held = sum(size for draw, size in books if draw in chosen)
        left = [size for draw, size in books if draw not in chosen]
        assert abs(held - wanted) <= min(left) / 2 + 1e-9


def test_which_sources_have_few() -> None:
    encoder = Encode(tokenizer="x", validation=0.01, validation_by_source={"all": 1.0, "none": 0.0})
    counts = {"web": 100_000, "books": 99_999, "five": 5, "all": 5, "none": 5, "empty": 0}
    assert few_sources(encoder, counts) == {"books": 2**64 * 5000 // 99_999, "five": 2**64 - 1}


def test_chosen_documents_are_held_out_in_every_source_and_no_others_of_few() -> None:
    plain = Encode(tokenizer="x", validation=0.5)
    batch = documents(*(f"text {n}" for n in range(100)), source=["books"] * 50 + ["web"] * 50)
    draws = plain.draws(batch)
    before = plain.held_out(batch)
    chosen = tuple(sorted(int(draws[row]) for row in (3, 4, 60, 61)))
    held_out = EncodeFew(**vars(plain), few=("books",), chosen=chosen).held_out(batch)
    assert [row for row in range(50) if held_out[row]] == [3, 4]
    assert [row for row in range(50, 100) if held_out[row] != before[row]] == [
        row for row in (60, 61) if not before[row]
    ]

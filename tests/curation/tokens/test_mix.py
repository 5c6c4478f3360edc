"""Shares by tokens: realised within one row, budgets at their limit and one past it."""

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.core.errors import RecipeError, UserError
from curation.tokens.mix import Mix, index_bytes, share_out

SHAPE = {
    "row_tokens": 11, "dtype": "uint16", "vocabulary": 1000, "end_of_text": 0, "padding": 1,
    "tokenizer": {"file": "tokenizer.json", "blake2b": "ab"},
}  # fmt: skip


def section(**rows: int) -> dict[str, Any]:
    return {**SHAPE, "sources": {source: {"train": {"rows": count}} for source, count in rows.items()}}


PACKS = [("05-web", section(web=600)), ("06-rest", section(code=300, books=100))]


def taken(mix: Mix) -> dict[str, int]:
    return {entry["source"]: entry["rows"] for entry in mix.build(PACKS)["entries"]}


def test_without_weights_every_row_is_taken() -> None:
    assert taken(Mix()) == {"books": 100, "code": 300, "web": 600}


def test_without_weights_a_budget_is_shared_by_size() -> None:
    assert taken(Mix(tokens=1000)) == {"books": 10, "code": 30, "web": 60}


def test_weights_may_have_any_scale() -> None:
    assert taken(Mix(weights={"web": 2, "code": 1, "books": 1}, tokens=400)) == {"books": 10, "code": 10, "web": 20}


def test_without_a_budget_the_scarcest_source_decides() -> None:
    assert taken(Mix(weights={"web": 0.5, "code": 0.25, "books": 0.25})) == {"books": 100, "code": 100, "web": 200}


def test_weight_0_leaves_a_source_out() -> None:
    assert taken(Mix(weights={"web": 1, "code": 0, "books": 0})) == {"web": 600}


def test_the_largest_budget_and_one_row_more() -> None:
    weights = {"web": 0.5, "code": 0.25, "books": 0.25}
    assert taken(Mix(weights=weights, tokens=4_009)) == {"books": 100, "code": 100, "web": 200}
    with pytest.raises(UserError, match="would repeat books; the largest possible budget is 4,000 tokens"):
        Mix(weights=weights, tokens=4_010).build(PACKS)


def test_the_smallest_budget_and_one_token_less() -> None:
    assert sum(taken(Mix(tokens=10)).values()) == 1
    with pytest.raises(UserError, match="not one row of 10 tokens"):
        Mix(tokens=9).build(PACKS)


def test_report_compares_target_and_realised() -> None:
    report = Mix(weights={"web": 2, "code": 1, "books": 0}, tokens=1000).build(PACKS)["report"]
    assert [(one["source"], one["rows"], one["tokens"]) for one in report] == [
        ("books", 0, 0), ("code", 33, 330), ("web", 67, 670),
    ]  # fmt: skip
    assert [round(one["target_tokens"], 2) for one in report] == [0, 333.33, 666.67]
    assert [one["available_rows"] for one in report] == [100, 300, 600]


def test_index_holds_what_the_reader_needs_and_is_stable() -> None:
    index = Mix(seed=5).build(PACKS)
    assert {key: index[key] for key in SHAPE} == SHAPE
    assert (index["format"], index["format_version"], index["seed"]) == ("winnow-mix", 1, 5)
    assert index["packs"] == ["05-web", "06-rest"]
    assert index["entries"][0] == {"source": "books", "phase": 0, "epoch": 0, "rows": 100, "available": 100}
    assert json.loads(index_bytes(index)) == index


def test_a_source_in_two_packs_is_one_source() -> None:
    index = Mix().build([("05-a", section(web=3)), ("06-b", section(web=4))])
    assert [(entry["source"], entry["rows"]) for entry in index["entries"]] == [("web", 7)]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        pytest.param({"web": 1, "code": 1, "books": 1, "wiki": 1}, "'wiki', which no pack holds", id="unknown"),
        pytest.param({"web": 1, "code": 1}, "no weight for source 'books'", id="left out"),
    ],
)
def test_names_must_match(weights: dict[str, float], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Mix(weights=weights).build(PACKS)


@pytest.mark.parametrize("weight", [-0.1, float("nan"), float("inf")])
def test_impossible_weight(weight: float) -> None:
    with pytest.raises(RecipeError, match="the weight of 'web'"):
        Mix(weights={"web": weight})


def test_all_weights_0() -> None:
    with pytest.raises(RecipeError, match="every weight is 0"):
        Mix(weights={"web": 0})


def test_a_budget_of_0() -> None:
    with pytest.raises(RecipeError, match="at least 1"):
        Mix(tokens=0)


def test_a_source_that_ran_dry_is_an_error_when_it_has_a_weight() -> None:
    packs = [("05-web", section(web=600, code=0))]
    for tokens in (None, 100):
        with pytest.raises(UserError, match=r"^code has no training row"):
            Mix(weights={"web": 1, "code": 1}, tokens=tokens).build(packs)
    assert [entry["source"] for entry in Mix().build(packs)["entries"]] == ["web"]


def test_nothing_packed() -> None:
    with pytest.raises(UserError, match="at least one pack"):
        Mix().build([])
    with pytest.raises(UserError, match="no source has a single training row"):
        Mix().build([("05-web", section(web=0))])


def test_packs_of_different_tokenizers() -> None:
    other = section(code=3) | {"tokenizer": {"file": "tokenizer.json", "blake2b": "cd"}}
    with pytest.raises(UserError, match="06-code has tokenizer"):
        Mix().build([("05-web", section(web=3)), ("06-code", other)])


@given(total=st.integers(0, 10**6), weights=st.lists(st.floats(0, 1e6), min_size=1, max_size=6).filter(any))
def test_every_share_is_within_one_row(total: int, weights: list[float]) -> None:
    whole = sum(Fraction(weight) for weight in weights)
    shares = {str(i): Fraction(weight) / whole for i, weight in enumerate(weights)}
    rows = share_out(total, shares)
    assert sum(rows.values()) == total
    assert all(abs(rows[source] - total * share) < 1 for source, share in shares.items())

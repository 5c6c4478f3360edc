"""Shares of groups by hand: by size, by weight, evened out, and where a group has less than its share."""

from math import inf
from typing import Any

import pytest

from curation.core.errors import RecipeError
from curation.fit.sample.shares import Sampled

SIZES = {"a": 1600, "b": 400}


@pytest.mark.parametrize(
    ("options", "sizes", "expected"),
    [
        pytest.param({}, SIZES, {"a": 80, "b": 20}, id="by size"),
        pytest.param({"sample_temperature": 2}, SIZES, {"a": 100 * 2 / 3, "b": 100 / 3}, id="roots of sizes"),
        pytest.param({"sample_temperature": inf}, SIZES, {"a": 50, "b": 50}, id="even"),
        pytest.param({"sample_weights": {"a": 1, "b": 3}}, SIZES, {"a": 25, "b": 75}, id="by weight"),
        pytest.param({"sample_weights": {"a": 0, "b": 3}}, SIZES, {"a": 0, "b": 100}, id="left out"),
        pytest.param(
            {"sample_weights": {"a": 2, "*": 1}}, {**SIZES, "c": 900}, {"a": 50, "b": 25, "c": 25}, id="the others"
        ),
        pytest.param(
            {"sample_weights": {"a": 9, "b": 1}, "sample_temperature": 2}, SIZES, {"a": 75, "b": 25}, id="both"
        ),
        pytest.param({"sample_temperature": inf}, {"a": 90, "b": 30}, {"a": 70, "b": 30}, id="has less"),
        pytest.param(
            {"sample_temperature": inf}, {"a": 90, "b": 10, "c": 60}, {"a": 45, "b": 10, "c": 45}, id="the rest shared"
        ),
        pytest.param({"sample_temperature": inf}, {"a": 20, "b": 30}, {"a": 20, "b": 30}, id="less than asked"),
        pytest.param({"sample_temperature": 1}, {"a": 20, "b": 0}, {"a": 20, "b": 0}, id="an empty group"),
    ],
)
def test_targets(options: dict[str, Any], sizes: dict[str, int], expected: dict[str, float]) -> None:
    found = Sampled(sample_by="source", sample_bytes=100, **options).balanced(sizes)
    assert found == pytest.approx(expected)


def test_the_largest_corpus_can_be_evened_out_a_little() -> None:
    found = Sampled(sample_by="source", sample_bytes=100, sample_temperature=0.01).balanced({"a": 10**15, "b": 10})
    assert found == pytest.approx({"a": 100, "b": 0})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"sample_bytes": 0}, "sample_bytes is 0; it must be at least 1", id="bytes"),
        pytest.param({"sample_temperature": 0.0}, "sample_temperature is 0.0", id="temperature"),
        pytest.param({"sample_by": "", "sample_weights": {"a": 1}}, "need sample_by", id="weights of nothing"),
        pytest.param({"sample_by": "", "sample_temperature": 2}, "need sample_by", id="temperature of nothing"),
        pytest.param({"sample_by": "language."}, "give source, or a column", id="by"),
        pytest.param({"sample_weights": {"a": -1}}, "weight of 'a' is -1", id="weight"),
        pytest.param({"sample_weights": {"a": inf}}, "weight of 'a' is inf", id="infinite weight"),
        pytest.param({"sample_weights": {"a": 0}}, "every weight is 0", id="no weight"),
    ],
)
def test_impossible_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Sampled(**{"sample_by": "source", **options})


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        pytest.param({"c": 1, "*": 1}, "no group 'c' in the text; known: a, b", id="unknown"),
        pytest.param({"a": 1}, "no weight for b; give each one", id="bare"),
        pytest.param({"a": 0, "b": 0, "*": 1}, "every group with text has the weight 0", id="nothing left"),
    ],
)
def test_weights_that_do_not_fit_the_groups(weights: dict[str, float], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Sampled(sample_by="source", sample_weights=weights).balanced(SIZES)

"""Models by hand, probabilities that sum to 1 in every context, and discounts as lmplz takes them."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.core.errors import InputError, RecipeError
from curation.models.ngram.counts import partition
from curation.models.ngram.estimate import FALLBACK, BackoffModel, discounts_of, estimate, places, thresholds_of
from tests.curation.models.ngram.slow_model import (
    Table,
    corpora,
    mass,
    model_of,
    orders,
    prose,
    table_of,
    values_of,
)


def close(table: Table, expected: dict[tuple[str, ...], tuple[float, float]]) -> None:
    """Whether the probabilities and weights, not their logarithms, are these."""
    assert table.keys() == expected.keys()
    for gram, values in expected.items():
        assert [10**value for value in table[gram]] == pytest.approx(values, rel=1e-6), gram


def bytes_of(model: BackoffModel) -> list[bytes]:
    return [array.tobytes() for array in (*model.rows, *model.probabilities, *model.backoffs)]


# Adjusted counts of a, b, c: 1 each, of </s>: 2. The discounts are 0.5 for 1, 1 for 2 and 1.5 for more, so unigrams
# leave (3 * 0.5 + 1) / 5 to the uniform distribution over <unk>, </s>, a, b and c: 0.5 * 0.2 for each.
UNIGRAMS = {
    ("<unk>",): (0.1, 1.0),
    ("<s>",): (1.0, 0.5),
    ("</s>",): (0.3, 1.0),
    ("a",): (0.2, 0.5),
    ("b",): (0.2, 0.5),
    ("c",): (0.2, 0.5),
}


def test_a_model_by_hand() -> None:
    close(
        values_of(model_of(["a b\na c"], 2)),
        UNIGRAMS
        | {
            ("<s>", "a"): ((2 - 1) / 2 + 0.5 * 0.2, 1.0),
            ("a", "b"): ((1 - 0.5) / 2 + 0.5 * 0.2, 1.0),
            ("a", "c"): ((1 - 0.5) / 2 + 0.5 * 0.2, 1.0),
            ("b", "</s>"): ((1 - 0.5) / 1 + 0.5 * 0.3, 1.0),
            ("c", "</s>"): ((1 - 0.5) / 1 + 0.5 * 0.3, 1.0),
        },
    )


def test_a_pruned_model_by_hand() -> None:
    close(
        values_of(model_of(["a b", "a b", "a c"], 2, 0, 1)),
        # Bigrams occur once (2), twice (2) and thrice (1): y = 2 / 6, and the discounts are 1 / 3, 1.5 and 3. "a b" of
        # 3 after a is kept: its discount and the count 1 of "a c" go to unigrams. c keeps no bigram.
        UNIGRAMS
        | {("<s>",): (1.0, 1.0), ("a",): (0.2, 2.5 / 3), ("b",): (0.2, 0.75), ("c",): (0.2, 1.0)}
        | {
            ("<s>", "a"): ((3 - 3) / 3 + 1 * 0.2, 1.0),
            ("a", "b"): ((2 - 1.5) / 3 + 2.5 / 3 * 0.2, 1.0),
            ("b", "</s>"): ((2 - 1.5) / 2 + 0.75 * 0.3, 1.0),
        },
    )


def test_unigrams_alone_by_hand() -> None:
    # Counts: a 2, b 1, </s> 2. 0.5 + 1 + 1 of 5 goes to four outcomes.
    close(
        values_of(model_of(["a b\na"], 1)),
        {
            ("<unk>",): (0.125, 1.0),
            ("<s>",): (1.0, 1.0),
            ("</s>",): (0.325, 1.0),
            ("a",): (0.325, 1.0),
            ("b",): (0.225, 1.0),
        },
    )


@given(corpora, orders, st.integers(0, 2))
def test_the_probabilities_of_every_context_sum_to_1(texts: list[str], order: int, least: int) -> None:
    table = values_of(model_of(texts, order, 0, *[least] * (order > 1)))
    contexts = [gram for gram in table if len(gram) < order and gram[-1] not in ("<unk>", "</s>")]
    for context in [*contexts, (), ("never seen",)]:
        assert mass(table, context) == pytest.approx(1, abs=1e-5), context


@given(corpora, orders, st.integers(1, 4))
def test_buckets_give_the_same_bytes(texts: list[str], order: int, buckets: int) -> None:
    table = table_of(texts, order)
    bucketed = estimate(partition(table, buckets), fallback=FALLBACK)
    assert bytes_of(bucketed) == bytes_of(estimate([table], fallback=FALLBACK))


def test_natural_counts_need_no_fallback() -> None:
    text = prose(3000)
    assert bytes_of(estimate([table_of([text], 3)])) == bytes_of(model_of([text], 3))


def test_discounts_by_hand() -> None:
    # y = 10 / 18
    expected = [0, 1 - 2 * 10 / 18 * 4 / 10, 2 - 3 * 10 / 18 * 2 / 4, 3 - 4 * 10 / 18 * 1 / 2]
    assert discounts_of(np.array([3, 10, 4, 2, 1]), 2, None).tolist() == pytest.approx(expected)
    assert discounts_of(np.array([3, 10, 4, 2, 0]), 2, None)[3] == 3


@pytest.mark.parametrize(
    ("histogram", "message"),
    [
        pytest.param([0, 0, 4, 2, 1], "no 2-gram has the adjusted count 1", id="no n-gram once"),
        pytest.param([0, 9, 4, 0, 1], "no 2-gram has the adjusted count 3", id="no n-gram thrice"),
        pytest.param([0, 9, 4, 1, 9], "those of 2-grams are out of range", id="a negative discount"),
    ],
)
def test_discounts_that_cannot_be(histogram: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        discounts_of(np.array(histogram), 2, None)
    assert discounts_of(np.array(histogram), 2, FALLBACK).tolist() == [0, 0.5, 1, 1.5]


@pytest.mark.parametrize(
    ("order", "prune", "expected"),
    [
        pytest.param(3, (), (0, 0, 0), id="none"),
        pytest.param(5, (0, 0, 1), (0, 0, 1, 1, 1), id="the last one holds on"),
        pytest.param(2, (0, 4), (0, 4), id="one each"),
        pytest.param(1, (0,), (0,), id="unigrams"),
    ],
)
def test_thresholds(order: int, prune: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert thresholds_of(order, prune) == expected


@pytest.mark.parametrize(("order", "prune"), [(2, (1,)), (3, (0, 2, 1)), (2, (0, 0, 0)), (2, (0, -1))])
def test_thresholds_that_cannot_be(order: int, prune: tuple[int, ...]) -> None:
    with pytest.raises(RecipeError, match="that begin with 0 and never fall"):
        thresholds_of(order, prune)


@pytest.mark.parametrize("order", [0, 6])
def test_orders_that_cannot_be(order: int) -> None:
    with pytest.raises(RecipeError, match="must lie between 1 and 5"):
        thresholds_of(order, ())


def test_no_text_gives_no_model() -> None:
    with pytest.raises(InputError, match="no word in the text"):
        estimate([table_of([""], 2)], fallback=FALLBACK)


def test_places() -> None:
    table = np.array([[1, 2], [1, 4], [3, 0]], np.uint32)
    rows = np.array([[0, 9], [1, 2], [1, 2], [1, 3], [3, 0], [3, 1]], np.uint32)
    assert places(rows, table).tolist() == [-1, 0, 0, -1, 2, -1]
    assert places(rows[:0], table).tolist() == []


def test_no_logarithm_is_positive() -> None:
    model = model_of(["a"] * 50, 3)
    assert all(math.copysign(1, value) <= 0 or value == 0 for array in model.probabilities for value in array.tolist())
    assert isinstance(model.words, pa.Array)

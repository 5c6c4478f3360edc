"""Prices and the account of a command, by hand."""

import math

import pytest

from curation.account.annotate.answers import Answer
from curation.account.annotate.budget import CHAT_TOKENS, Prices, Spend
from curation.core.errors import UserError

PRICES = Prices(price_in=1.0, price_out=4.0, max_cost=0.01)  # per million tokens


def test_an_answer_without_usage_costs_the_most_it_may() -> None:
    spend = Spend(PRICES, 500)
    assert spend.most(744) == pytest.approx((744 + CHAT_TOKENS) / 1e6 + 4 * 500 / 1e6)
    spend.pay(Answer("", "stop"), 0.003)
    spend.use_cached(Answer("", "stop"), 0.002)
    spend.use_cached(Answer("", "stop", 1000, 0), 1.0)
    assert (spend.paid, spend.uncertain, spend.cached) == (0, 0.003, 0.003)
    assert spend.total == 0.006


def test_what_is_under_way_counts_towards_the_ceiling() -> None:
    spend = Spend(PRICES, 500)
    assert spend.fits(0.01)
    assert not spend.fits(0.0101)
    spend.reserve(0.006)
    assert spend.fits(0.004)
    assert not spend.fits(0.0041)
    spend.release(0.006)
    assert (spend.reserved, spend.under_way) == (0, 0)
    assert Spend(Prices(), 500).fits(math.inf)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"price_in": 1.0, "price_out": 1.0, "max_cost": 0}, "--max-cost is 0, which pays for no answer"),
        ({"price_in": 1.0, "price_out": 1.0, "max_cost": -1}, "--max-cost is -1; it must be a number of 0 or more"),
        ({"price_in": math.nan, "price_out": 1.0}, "--price-in is nan"),
        ({"price_in": 1.0}, "give both --price-in and --price-out"),
        ({"max_cost": 5.0}, "--max-cost needs --price-in and --price-out above 0"),
        ({"max_cost": 5.0, "price_in": 0.0, "price_out": 0.0}, "--max-cost needs --price-in and --price-out above 0"),
    ],
)
def test_mistakes(options: dict[str, float], message: str) -> None:
    with pytest.raises(UserError, match=message):
        Prices(**options)

"""What a weight stands for, temperature, and water filling against figures worked out by hand."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.core.errors import UserError
from curation.tokens.mixing.shares import (
    asked,
    fill,
    groups,
    water_fill,
)


def of(**fractions: str) -> dict[str, Fraction]:
    return {name: Fraction(value) for name, value in fractions.items()}


@pytest.mark.parametrize(
    ("temperature", "shares"),
    [
        pytest.param(1.0, of(a="16/21", b="4/21", c="1/21"), id="by size"),
        pytest.param(2.0, of(a="4/7", b="2/7", c="1/7"), id="square roots"),
        pytest.param(0.5, of(a="256/273", b="16/273", c="1/273"), id="squares"),
        pytest.param(math.inf, of(a="1/3", b="1/3", c="1/3"), id="evenly"),
    ],
)
def test_temperature(temperature: float, shares: dict[str, Fraction]) -> None:
    (group,) = groups(None, temperature, {"a": 1600, "b": 400, "c": 100})
    assert group.weight == 1
    assert all(abs(group.shares[leaf] - share) < Fraction(1, 10**30) for leaf, share in shares.items())


def test_weights_of_prefixes_are_shared_inside_by_temperature() -> None:
    """Two languages at even shares within the web's three quarters: a balance that does not touch the other sources."""
    found = asked(groups({"web": 3, "books": 1, "web-x": 0}, math.inf, {"books": 9, "web/de": 1, "web/en": 99}))
    assert found == {"books": Fraction(1, 4), "web/de": Fraction(3, 8), "web/en": Fraction(3, 8)}


def test_a_leaf_without_rows_leaves_its_share_to_its_group() -> None:
    assert asked(groups({"web": 1}, math.inf, {"web/a": 0, "web/b": 5})) == {"web/b": 1}
    with pytest.raises(UserError, match=r"^web has no training row: take it out of `weights`"):
        groups({"web": 1, "books": 1}, 1.0, {"web/a": 0, "books": 5})
    with pytest.raises(UserError, match="no source has a single training row"):
        groups(None, 1.0, {"web": 0})


def test_unimax_by_hand() -> None:
    """Chung et al., algorithm 1, on languages of 100, 300, 800 and 2,000 with N = 2 epochs and a budget of 2,400.

    Smallest first: 2400 / 4 = 600 > 2 x 100, so 200; 2200 / 3 = 733.3 > 2 x 300, so 600; 1600 / 2 = 800 each.
    """
    (group,) = groups(None, math.inf, {"a": 100, "b": 300, "c": 800, "d": 2000})
    most = {"a": 200, "b": 600, "c": 1600, "d": 4000}
    assert fill(Fraction(2400), [group], most) == of(a="200", b="600", c="800", d="800")
    assert fill(Fraction(800), [group], most) == of(a="200", b="200", c="200", d="200")
    assert fill(Fraction(801), [group], most)["b"] == Fraction(601, 3), "one more than the smallest can give evenly"
    assert fill(Fraction(9999), [group], most) == of(a="200", b="600", c="1600", d="4000")


def test_what_one_cannot_give_its_group_gives_first_then_the_others() -> None:
    weighed = groups({"web": 2, "books": 1, "code": 1}, math.inf, {"web/a": 1, "web/b": 1, "books": 1, "code": 1})
    plenty = {"web/a": 1000, "web/b": 1000, "books": 1000, "code": 1000}
    assert fill(Fraction(400), weighed, plenty) == {"web/a": 100, "web/b": 100, "books": 100, "code": 100}
    assert fill(Fraction(400), weighed, {**plenty, "web/a": 30})["web/b"] == 170
    assert fill(Fraction(400), weighed, {**plenty, "web/a": 30, "web/b": 90}) == {
        "web/a": 30, "web/b": 90, "books": 140, "code": 140,
    }  # fmt: skip


amounts = st.fractions(0, 1000, max_denominator=50)
tables = st.dictionaries(
    st.sampled_from("abcdef"), st.tuples(st.fractions("1/50", 5, max_denominator=50), amounts), min_size=1
)


@given(amounts, tables)
def test_water_filling(amount: Fraction, table: dict[str, tuple[Fraction, Fraction]]) -> None:
    """All is given that can be, nobody beyond the limit, and those below theirs all stand at one level, the highest."""
    shares, limits = ({name: pair[side] for name, pair in table.items()} for side in (0, 1))
    found = water_fill(amount, shares, limits)
    assert sum(found.values()) == min(amount, sum(limits.values()))
    assert all(0 <= found[name] <= limits[name] for name in table)
    levels = {found[name] / shares[name] for name in table if found[name] < limits[name]}
    assert len(levels) <= 1
    assert all(found[name] / shares[name] <= level for level in levels for name in table)

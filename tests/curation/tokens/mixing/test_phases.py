"""What makes a sound list of phases, at the limit and one past it."""

from fractions import Fraction
from typing import Any

import pytest

from curation.core.errors import RecipeError
from curation.tokens.mixing.phases import Phase, check_phases, fractions


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({}, "phase 'a' needs either a share or tokens", id="neither"),
        pytest.param({"share": 1, "tokens": 5}, "needs either a share or tokens", id="both"),
        pytest.param({"share": 0}, "has share 0; it must be above 0 and at most 1", id="no share"),
        pytest.param({"share": 1.01}, "has share 1.01", id="more than all"),
        pytest.param({"share": float("nan")}, "has share nan", id="no number"),
        pytest.param({"tokens": 0}, "has 0 tokens; give at least 1", id="no tokens"),
        pytest.param({"share": 1, "weights": {"x": 0}}, "phase 'a': every weight is 0", id="weights 0"),
        pytest.param({"share": 1, "weights": {"x": -1}}, "phase 'a': the weight of 'x' is -1", id="below 0"),
        pytest.param({"share": 1, "weights": {"x": 1, "x/y": 1}}, "'x' already covers 'x/y'", id="twice"),
        pytest.param({"share": 1, "temperature": 0}, "the temperature is 0", id="temperature 0"),
    ],
)
def test_phase_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Phase(name="a", **options)


def phases(*shares: float) -> list[Phase]:
    return [Phase(name=str(number), share=share) for number, share in enumerate(shares)]


def test_shares_add_up_to_1() -> None:
    check_phases(phases(0.1, 0.2, 0.7), None)
    check_phases(phases(0.333333, 0.333333, 0.333333), None)
    for wrong, total in (((0.5, 0.4), "0.9"), ((0.9, 0.2), "1.1"), ((0.33333, 0.33333, 0.33333), "0.99999")):
        with pytest.raises(RecipeError, match=f"add up to {total}; they must add up to 1"):
            check_phases(phases(*wrong), None)


def test_shares_or_tokens_not_both() -> None:
    mixed = [Phase(name="a", share=1.0), Phase(name="b", tokens=5)]
    with pytest.raises(RecipeError, match="give all of them a share, or all of them tokens"):
        check_phases(mixed, None)
    tokens = [Phase(name="a", tokens=5), Phase(name="b", tokens=15)]
    check_phases(tokens, None)
    check_phases(tokens, 20)
    with pytest.raises(RecipeError, match="the phases have 20 tokens, the mix 21"):
        check_phases(tokens, 21)


def test_names_differ() -> None:
    with pytest.raises(RecipeError, match="every phase needs a name of its own, got 'a', 'a'"):
        check_phases([Phase(name="a", share=0.5), Phase(name="a", share=0.5)], None)
    with pytest.raises(RecipeError, match="name of its own"):
        check_phases([Phase(name="", share=1)], None)


def test_fractions_add_up_to_1() -> None:
    assert fractions(phases(0.1, 0.9)) == [Fraction(1, 10), Fraction(9, 10)]
    assert fractions(phases(0.333333, 0.333333, 0.333333)) == [Fraction(1, 3)] * 3
    assert fractions([Phase(name="a", tokens=5), Phase(name="b", tokens=15)]) == [Fraction(1, 4), Fraction(3, 4)]

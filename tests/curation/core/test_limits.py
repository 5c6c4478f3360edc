"""Limits name the options that set them, and hold together with certain values of others."""

from dataclasses import dataclass
from math import inf, nan

import pytest

from curation.core.limits import COUNTS, SHARES, Limit, When, fits


@dataclass(frozen=True)
class Chosen:
    """Two options on which limits depend."""

    variant: str = "paper"
    file: str = ""


def test_the_options_of_a_limit() -> None:
    limit = Limit("score", least="min_score", most=1.0, each="min_scores")
    assert limit.options() == ("min_score", "min_scores")
    assert [limit.option(side) for side in ("low", "high", "not_in")] == ["min_score", "", ""]
    assert Limit("label", one_of="labels").options() == ("labels",)
    assert Limit("domain", most=0).options() == ()


@pytest.mark.parametrize(
    ("when", "component", "expected"),
    [
        pytest.param({}, Chosen(), True, id="always"),
        pytest.param({"variant": ("dolma", "dclm")}, Chosen(variant="dclm"), True, id="one of the values"),
        pytest.param({"variant": ("dolma", "dclm")}, Chosen(), False, id="another value"),
        pytest.param({"file": ()}, Chosen(file="a"), True, id="set"),
        pytest.param({"file": ()}, Chosen(), False, id="not set"),
        pytest.param({"variant": ("paper",), "file": ()}, Chosen(), False, id="one of two"),
        pytest.param({"variant": ("paper",), "file": ()}, Chosen(file="a"), True, id="both"),
    ],
)
def test_when_a_limit_holds(when: When, component: Chosen, expected: bool) -> None:
    assert fits(when, component) == expected
    assert Limit("words", least=1, when=when).holds(component) == expected


@pytest.mark.parametrize(
    ("between", "possible", "impossible"),
    [
        pytest.param(SHARES, [0, 0.5, 1.0], [-0.01, 1.01, nan], id="shares"),
        pytest.param(COUNTS, [0, 1e9], [-1, inf, nan], id="counts"),
        pytest.param((-inf, inf), [-1e9, 1e9], [inf, -inf, nan], id="any number"),
    ],
)
def test_values_that_a_bound_may_have(
    between: tuple[float, float], possible: list[float], impossible: list[float]
) -> None:
    limit = Limit("x", between=between)
    assert all(map(limit.allows, possible))
    assert not any(map(limit.allows, impossible))

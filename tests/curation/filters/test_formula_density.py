"""Formula density: its limits at their values and one step past them."""

import pytest

from curation.filters.formula_density import FormulaDensity
from tests.support import documents, verdict


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("$x$" + "a" * 297, None, id="three bytes of 300"),
        pytest.param("$x$" + "a" * 298, "share:low", id="of 301"),
        pytest.param("The price is $5.", "share:low", id="a price"),
        pytest.param("", "share:low", id="nothing"),
    ],
)
def test_limit(text: str, reason: str | None) -> None:
    assert verdict(FormulaDensity(), text) == reason


def test_formulas_are_counted() -> None:
    assert verdict(FormulaDensity(min_formulas=2), "$x$ and $y$") is None
    assert verdict(FormulaDensity(min_formulas=3), "$x$ and $y$") == "formulas:low"
    found = FormulaDensity().measure(documents("$x$ and $y$", None))
    assert found["formulas"].to_pylist() == [2, 0]
    assert found["share"].to_pylist() == [6 / 11, 0.0]

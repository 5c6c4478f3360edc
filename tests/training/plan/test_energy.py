"""Energy and carbon by hand; grids that are known, given, and neither."""

import pytest

from training.plan.energy import embodied, energy, grid_intensity


def test_by_hand() -> None:
    assert energy(10, 700, 1.5) == pytest.approx(10.5)
    assert embodied(8760, 150, 5, 0.5) == pytest.approx(60)


def test_grids() -> None:
    assert grid_intensity("France") == 0.056
    assert grid_intensity("429") == 0.429
    for wrong in ("atlantis", "-1", "nan"):
        with pytest.raises(ValueError, match=r"give its g CO2e/kWh as a number, or one of: world"):
            grid_intensity(wrong)

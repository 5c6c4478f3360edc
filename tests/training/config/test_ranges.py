"""Numbers at their limits, and one step past them."""

from math import inf, nan
from types import SimpleNamespace

import pytest

from training.config.ranges import check_least, check_positive


def test_least() -> None:
    check_least(SimpleNamespace(heads=1, hidden=None), 1, "heads", "hidden")
    with pytest.raises(ValueError, match="heads is 0; give 1 or more"):
        check_least(SimpleNamespace(heads=0), 1, "heads")


@pytest.mark.parametrize("value", [0.0, -1.0, inf, nan])
def test_positive(value: float) -> None:
    check_positive(SimpleNamespace(rate=1e-12), "rate")
    with pytest.raises(ValueError, match=f"rate is {value}; give a number above 0"):
        check_positive(SimpleNamespace(rate=value), "rate")

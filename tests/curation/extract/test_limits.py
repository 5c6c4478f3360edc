"""Limits that cannot work are refused where the recipe is read."""

import pytest

from curation.core.errors import RecipeError
from curation.extract.limits import Limits


@pytest.mark.parametrize(
    "name", ["max_bytes", "max_nodes", "max_depth", "max_attributes", "timeout_seconds", "memory_mb"]
)
def test_zero_is_refused(name: str) -> None:
    with pytest.raises(RecipeError, match=f"{name} is 0"):
        Limits(**{name: 0})


def test_least_memory() -> None:
    assert Limits(memory_mb=256).memory_mb == 256
    with pytest.raises(RecipeError, match="memory_mb is 255"):
        Limits(memory_mb=255)

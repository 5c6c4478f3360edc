"""What may stand beside a verb."""

import pytest

from curation.engine.recipe.options import StageOptions


def test_defaults_allow_everything_but_errors() -> None:
    assert StageOptions() == StageOptions(name="", expect_kept=(0.0, 1.0), max_errors=0.01)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"expect_kept": (0.9, 0.1)}, r"expect_kept must be \[low, high\]"),
        ({"expect_kept": (0.0, 1.1)}, r"got \[0.0, 1.1\]"),
        ({"max_errors": 1.01}, "a fraction of the rows"),
        ({"max_failed_units": -1}, "a number of units, 0 or more, got -1"),
        ({"max_failed_inputs": -1}, "a number of input files, 0 or more, got -1"),
        ({"name": "my stage"}, "becomes part of a folder"),
    ],
)
def test_impossible_values(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        StageOptions(**options)  # type: ignore[arg-type]

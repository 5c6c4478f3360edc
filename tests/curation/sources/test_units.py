"""Rows become batches of so many rows and bytes, and none is lost or moved."""

import pytest

from curation.sources import units
from curation.sources.units import batched


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        pytest.param([], [], id="none"),
        pytest.param([1, 1, 1, 1], [[0, 1, 2], [3]], id="as many rows as there may be"),
        pytest.param([6, 4, 1], [[0, 1], [2]], id="as many bytes as there may be"),
        pytest.param([6, 5], [[0], [1]], id="a byte too many"),
        pytest.param([1, 99, 1], [[0], [1], [2]], id="one that is larger than a batch"),
        pytest.param([0, 0], [[0, 1]], id="without bytes"),
    ],
)
def test_batches(sizes: list[int], expected: list[list[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "MAX_ROWS", 3)
    monkeypatch.setattr(units, "MAX_BYTES", 10)
    assert list(batched(enumerate(sizes))) == expected

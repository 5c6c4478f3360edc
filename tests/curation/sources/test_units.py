"""Rows become batches of so many rows and bytes, and none is lost or moved."""

import pyarrow as pa
import pytest

from curation.sources import units
from curation.sources.units import batched, row_batches


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


def test_half_characters_of_rows_become_the_mark_of_what_is_lost() -> None:
    schema = pa.schema([("text", pa.large_string()), ("of", pa.struct([("name", pa.string())]))])
    rows = [{"text": "a\ud800", "of": {"name": "\udce9"}}, {"text": "b", "of": None}]
    (batch,) = row_batches(rows, schema)
    assert batch.to_pylist() == [{"text": "a\ufffd", "of": {"name": "\ufffd"}}, {"text": "b", "of": None}]

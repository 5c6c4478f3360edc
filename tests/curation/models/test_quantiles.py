"""The file of quantiles: read as it was written, refused where it is another."""

import json
from pathlib import Path

import numpy as np
import pytest

from curation.core.errors import InputError
from curation.models.quantiles import QuantileTable, SignalSpreads, Spread, load, spreads_of


def table() -> QuantileTable:
    spreads = spreads_of(np.array([3.0, 1.0, np.nan, 2.0]), ["b", "a", "a", None])
    assert spreads is not None
    return QuantileTable("language.label", {"a.b": spreads})


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "quantiles.json"
    path.write_bytes(table().to_bytes())
    assert load(str(path)) == table()


def test_quantiles_are_values_that_occur() -> None:
    spread = Spread.of(np.array([4.0, 1.0, 3.0]))
    assert [spread.quantiles[k] for k in (0, 333, 334, 666, 667, 1000)] == [1, 1, 3, 3, 4, 4]
    assert list(table().signals["a.b"].groups) == ["a", "b"]
    assert spreads_of(np.array([np.nan]), [None]) is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no quantiles"),
        (b"[]", "holds no quantiles"),
        (b'{"format": 2}', "it has format 2, this winnow reads 1"),
        (b'{"format": 1, "by": "", "signals": {"a.b": {"overall": {"documents": 1, "quantiles": [1]}, "groups": {}}}}',
         "a signal does not have 1001 quantiles"),
    ],
)  # fmt: skip
def test_another_file_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "quantiles.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        load(str(path))


@pytest.mark.parametrize(
    ("quantiles", "message"),
    [
        ([float("nan"), *range(1000)], "a quantile is no number"),
        (["1", *range(1000)], "a quantile is no number"),
        ([True, *range(1000)], "a quantile is no number"),
        ([*range(1000), 10**400], "a quantile is no number"),
        ([2, *range(1000)], "its quantiles are not ascending"),
    ],
    ids=["NaN", "letters", "true", "beyond a float", "falling"],
)
def test_quantiles_that_no_fit_writes(tmp_path: Path, quantiles: list[object], message: str) -> None:
    overall = {"documents": 1, "quantiles": quantiles}
    path = tmp_path / "quantiles.json"
    path.write_text(json.dumps({"format": 1, "by": "", "signals": {"a.b": {"overall": overall, "groups": {}}}}))
    with pytest.raises(InputError, match=message):
        load(str(path))


def test_an_infinite_quantile_is_one(tmp_path: Path) -> None:
    spreads = SignalSpreads(Spread.of(np.array([1.0, np.inf])), {})
    path = tmp_path / "quantiles.json"
    path.write_bytes(QuantileTable("", {"a.b": spreads}).to_bytes())
    assert load(str(path)).value("a.b", 100) == np.inf


def test_a_table_that_is_nested_too_deeply(tmp_path: Path) -> None:
    (tmp_path / "quantiles.json").write_text("[" * 100_000)
    with pytest.raises(InputError, match="holds no quantiles"):
        load(str(tmp_path / "quantiles.json"))

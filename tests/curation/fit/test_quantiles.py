"""Quantiles of signals: values that occur, overall and by group, whatever the cut; settings that cannot be."""

import random
from typing import Any

import pyarrow as pa
import pytest

from curation.core.errors import InputError, RecipeError
from curation.fit.quantiles import Quantiles
from curation.models.quantiles import QuantileTable, load

FIT = Quantiles(signals=("a.words",), by="language.label")
INTEGER = pa.int64()


def batch(values: list[Any], labels: list[str | None], kind: pa.DataType = INTEGER) -> pa.RecordBatch:
    words = pa.StructArray.from_arrays([pa.array(values, kind)], names=["words"])
    label = pa.StructArray.from_arrays([pa.array(labels, pa.string())], names=["label"])
    return pa.RecordBatch.from_pydict({"a": words, "language": label})


def learned(*batches: pa.RecordBatch, fit: Quantiles = FIT, folder: Any) -> QuantileTable:
    path = folder / f"{random.random()}.json"
    path.write_bytes(fit.fit(iter(batches))[fit.asset])
    return load(str(path))


def test_overall_and_by_group(tmp_path: Any) -> None:
    assert FIT.reads == ("a.words", "language.label")
    values: list[Any] = [*range(1, 201), None]
    table = learned(batch(values, ["en"] * 120 + ["de"] * 79 + [None, "en"]), folder=tmp_path)
    assert [table.value("a.words", percent) for percent in (0, 0.5, 50, 90, 99.9, 100)] == [1, 1, 100, 180, 200, 200]
    assert table.by_group("a.words", 50) == {"en": 60}  # 79 documents in German are too few
    spreads = table.signals["a.words"]
    assert (spreads.overall.documents, spreads.groups["de"].documents) == (200, 79)
    assert spreads.groups["de"].quantiles[1000] == 199


def test_whatever_the_cut_and_the_order(tmp_path: Any) -> None:
    rows = [(random.Random(n).randrange(1000), random.Random(-n).choice(["en", "de"])) for n in range(500)]
    whole = FIT.fit(iter([batch([v for v, _ in rows], [g for _, g in rows])]))
    random.Random(3).shuffle(rows)
    parts = [rows[:100], [], rows[100:]]
    assert FIT.fit(batch([v for v, _ in part], [g for _, g in part]) for part in parts) == whole


def test_without_groups(tmp_path: Any) -> None:
    fit = Quantiles(signals=("a.words",))
    table = learned(batch([0.5, float("nan"), 1.5], ["", "", ""], pa.float64()), fit=fit, folder=tmp_path)
    assert (table.value("a.words", 100), table.by_group("a.words", 50)) == (1.5, {})
    assert table.signals["a.words"].overall.documents == 2


def test_signals_that_have_no_quantiles() -> None:
    with pytest.raises(InputError, match=r"no document has a value of a\.words"):
        FIT.fit(iter([batch([None], ["en"])]))
    with pytest.raises(InputError, match=r"a\.words holds string, which has no quantiles"):
        FIT.fit(iter([batch(["x"], ["en"], pa.string())]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"signals": ()}, "signals is empty"),
        ({"signals": ("a.b", "a.b")}, "names one twice"),
        ({"signals": ("words",)}, "'words' is no signal; give COLUMN.SIGNAL"),
        ({"signals": ("a.b",), "by": "language"}, "'language' is no signal"),
        ({"signals": ("a.b",), "sample_documents": 0}, "must be at least 1"),
    ],
)
def test_settings_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Quantiles(**options)

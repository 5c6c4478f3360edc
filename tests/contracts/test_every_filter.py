"""What every filter signs by existing: a new file in `curation/filters/` is tested here unasked."""

import importlib
import math
import pkgutil
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import curation.filters
from curation.core.document import DOCUMENT
from curation.core.reasons import parse, rule_reason
from curation.core.rules import first_failure
from curation.core.stage import Filter
from tests.support import documents

KEYS = sorted(module.name for module in pkgutil.iter_modules(curation.filters.__path__))
PROSE = "The people of the town have to read and be kind. " * 3

texts = st.one_of(
    st.none(),
    st.text(max_size=60),
    st.lists(st.sampled_from([PROSE, "the", "\n", "\n\n", "- …", "中文", "\u2028", "#"]), max_size=12).map(" ".join),
)


def make(key: str) -> Filter:
    """The filter with its default settings: the class is named after the file."""
    module = importlib.import_module(f"curation.filters.{key}")
    made: Filter = getattr(module, "".join(part.capitalize() for part in key.split("_")))()
    return made


def batches(key: str) -> st.SearchStrategy[pa.RecordBatch]:
    """Documents whose columns in the filter's `reads` hold Unicode text, or whatever else fits the column."""
    columns = {name: pa.types.is_timestamp(DOCUMENT.field(name).type) for name in make(key).reads if name != "text"}
    values = {name: st.none() if other else texts for name, other in columns.items()}
    rows = st.fixed_dictionaries({"text": texts, **values})
    return st.lists(rows, min_size=1, max_size=5).map(
        lambda made: documents(*(row["text"] for row in made), **{name: [row[name] for row in made] for name in values})
    )


def same(one: object, other: object) -> bool:
    return one == other or (
        isinstance(one, float) and isinstance(other, float) and math.isnan(one) and math.isnan(other)
    )


def test_there_are_filters() -> None:
    assert {"gopher_quality", "gopher_repetition", "language"} <= set(KEYS)


@pytest.mark.parametrize("key", KEYS)
def test_it_has_the_shape_of_a_filter(key: str) -> None:
    made = make(key)
    assert isinstance(made, Filter)
    assert isinstance(made.version, int)
    assert set(made.reads) <= set(DOCUMENT.names), f"teach `batches` to fill {made.reads}"


@pytest.mark.parametrize("key", KEYS)
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_document_measures_the_same_alone_and_among_others(key: str, data: st.DataObject) -> None:
    batch, made = data.draw(batches(key)), make(key)
    together = made.measure(batch)
    for row in range(len(batch)):
        for alone in (batch.slice(row, 1), pa.RecordBatch.from_pylist(batch.slice(row, 1).to_pylist(), batch.schema)):
            measured = made.measure(alone)
            assert list(measured) == list(together)
            assert all(same(measured[name][0].as_py(), together[name][row].as_py()) for name in together)


@pytest.mark.parametrize("key", KEYS)
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_signals_are_one_number_or_string_per_document(key: str, data: st.DataObject) -> None:
    batch = data.draw(batches(key))
    for signals, rows in ((make(key).measure(batch), len(batch)), (make(key).measure(batch.slice(0, 0)), 0)):
        for name, values in signals.items():
            kind = values.type
            assert len(values) == rows, name
            assert any(check(kind) for check in (pa.types.is_integer, pa.types.is_floating, pa.types.is_string)), kind


@pytest.mark.parametrize("key", KEYS)
def test_the_empty_document_gets_a_verdict(key: str) -> None:
    made = make(key)
    for text in ("", None):
        failure = first_failure(made.measure(documents(text)), made.rules(), 1)[0].as_py()
        assert failure is None or parse(rule_reason(key, failure)).key == key


@pytest.mark.parametrize("key", KEYS)
def test_every_rule_bounds_a_measured_signal_and_can_fire(key: str) -> None:
    made = make(key)
    measured = made.measure(documents(PROSE))
    assert made.rules()
    for rule in made.rules():
        assert rule.signal in measured
        assert rule.can_fire(), rule
        assert rule.can_keep(), rule
        assert (measured[rule.signal].type == pa.string()) == (rule.one_of is not None)
    assert all(parse(rule_reason(key, f"{name}:low")).kind == "rule" for name in measured)


@pytest.mark.parametrize("key", KEYS)
def test_the_file_cites_its_source(key: str) -> None:
    docstring = importlib.import_module(f"curation.filters.{key}").__doc__ or ""
    assert "\nSource: " in docstring


@pytest.mark.parametrize("key", KEYS)
def test_it_has_its_own_test_file(key: str) -> None:
    assert (Path(__file__).parents[1] / "curation" / "filters" / f"test_{key}.py").is_file()

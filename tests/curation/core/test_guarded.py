"""One bad document costs only itself; what is no document's fault is raised."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pytest

from curation.core.component import Signals
from curation.core.errors import InputError, StageError
from curation.core.filter import Filter
from curation.core.guarded import as_declared, attempt, measure, nulls
from curation.core.reasons import error_reason
from tests.support import documents


def test_a_missing_asset_stops_the_stage() -> None:
    def call(batch: pa.RecordBatch) -> Mapping[str, Any]:
        raise InputError("no model")

    with pytest.raises(InputError):
        attempt(call, documents("a", "b"))


class Panic(BaseException):
    """Like what a library in Rust raises."""


def test_a_panic_costs_only_its_document() -> None:
    def call(batch: pa.RecordBatch) -> int:
        if "bad" in batch.column("text").to_pylist():
            raise Panic("thread panicked")
        return batch.num_rows

    outcomes = attempt(call, documents("a", "b", "bad"))
    assert [result for _, result in outcomes[:-1]] == [1, 1]
    error = outcomes[-1][1]
    assert isinstance(error, Exception)
    assert error_reason("x", error) == "error.x.Panic"
    with pytest.raises(KeyboardInterrupt):
        attempt(_interrupted, documents("a"))


def _interrupted(batch: pa.RecordBatch) -> None:
    raise KeyboardInterrupt


class Halves(Filter):
    """Fails on a batch with an odd text."""

    def signal_types(self) -> Signals:
        return {"half": pa.int64()}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        texts = batch.column("text").to_pylist()
        return {"half": pa.array([{"aa": 1, "aaaa": 2}[text] for text in texts], pa.int64())}


def test_measures_of_the_others_and_errors_by_row() -> None:
    signals, errors = measure("halves", Halves(), documents("aa", "a", "aaaa"))
    assert signals["half"].to_pylist() == [1, None, 2]
    assert errors.to_pylist() == [None, "error.halves.KeyError", None]


def test_what_was_measured_before_is_taken_as_it_is() -> None:
    signals, errors = measure("halves", Halves(), documents("a", halves=[{"half": 7}]))
    assert signals["half"].to_pylist() == [7]
    assert errors.to_pylist() == [None]


def test_documents_on_which_a_filter_fails_alone_have_the_declared_types() -> None:
    signals, errors = measure("halves", Halves(), documents("a"))
    assert signals["half"].equals(pa.nulls(1, pa.int64()))
    assert errors.to_pylist() == ["error.halves.KeyError"]
    assert nulls({"a": pa.string()}, 2)["a"].equals(pa.nulls(2, pa.string()))


def test_signals_come_in_the_declared_order_and_in_one_piece() -> None:
    declared = {"a": pa.int64(), "b": pa.string()}
    given = {"b": pa.array(["x", "y"]), "a": pa.chunked_array([[1], [2]])}
    assert list(as_declared("key", declared, given).items()) == [("a", pa.array([1, 2])), ("b", pa.array(["x", "y"]))]


@pytest.mark.parametrize(
    ("signals", "message"),
    [
        ({"a": pa.array([1], pa.int32())}, r"key: a is int32, and signal_types\(\) declares int64"),
        ({}, "key: a is not there, and .* declares int64"),
        ({"a": pa.array([1]), "b": pa.array([1])}, "key: b is int64, and .* declares nothing"),
    ],
)
def test_other_signals_than_declared_stop_the_stage(signals: dict[str, pa.Array], message: str) -> None:
    with pytest.raises(StageError, match=message):
        as_declared("key", {"a": pa.int64()}, signals)

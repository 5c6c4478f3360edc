"""One bad document costs only itself; what is no document's fault is raised."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pytest

from curation.core.errors import InputError
from curation.core.guarded import attempt, measure
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


class Halves:
    """Fails on a batch with an odd text."""

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        texts = batch.column("text").to_pylist()
        return {"half": pa.array([{"aa": 1, "aaaa": 2}[text] for text in texts], pa.int64())}


def test_measures_of_the_others_and_errors_by_row() -> None:
    signals, errors = measure("halves", Halves(), documents("aa", "a", "aaaa"))  # type: ignore[arg-type]
    assert signals["half"].to_pylist() == [1, None, 2]
    assert errors.to_pylist() == [None, "error.halves.KeyError", None]


def test_what_was_measured_before_is_taken_as_it_is() -> None:
    signals, errors = measure("halves", Halves(), documents("a", halves=[{"half": 7}]))  # type: ignore[arg-type]
    assert signals["half"].to_pylist() == [7]
    assert errors.to_pylist() == [None]

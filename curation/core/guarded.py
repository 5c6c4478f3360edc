"""Calls components so that one bad document never stops the others.

A failing batch is halved until the culprit stands alone; that row is dropped as `error.<key>.<Exception>` and its
neighbours are measured as if nothing had happened.
"""

from collections.abc import Callable
from typing import TypeVar

import pyarrow as pa

from curation.core.errors import WinnowError
from curation.core.filter import Filter
from curation.core.reasons import error_reason

T = TypeVar("T")


def attempt(call: Callable[[pa.RecordBatch], T], batch: pa.RecordBatch) -> list[tuple[pa.RecordBatch, T | Exception]]:
    """Slices of the batch, in order, each with the result of `call`, or with the exception that its only row raised.

    A WinnowError is about the set-up, a fault of disk, network or memory about the machine, neither about a document:
    they are raised, and so is any failure on an empty batch.
    """
    try:
        return [(batch, call(batch))]
    except (WinnowError, OSError, MemoryError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # a library in Rust panics with an exception that is no Exception
        if batch.num_rows == 0:
            raise
        if batch.num_rows == 1:
            if isinstance(error, Exception):
                return [(batch, error)]
            return [(batch, type(type(error).__name__, (Exception,), {})(str(error)))]
        half = batch.num_rows // 2
        return [*attempt(call, batch.slice(0, half)), *attempt(call, batch.slice(half))]


def measure(key: str, rule_set: Filter, batch: pa.RecordBatch) -> tuple[dict[str, pa.Array], pa.Array]:
    """Signals by name (null where the filter failed), and string[N] of error reasons. What an earlier stage measured is
    taken from its column."""
    if key in batch.schema.names:
        column = batch.column(key)
        names = [field.name for field in column.type]
        return dict(zip(names, column.flatten(), strict=True)), pa.nulls(len(batch), pa.string())
    outcomes = attempt(rule_set.measure, batch)
    shape = next((r for _, r in outcomes if not isinstance(r, Exception)), None)
    if shape is None:
        shape = rule_set.measure(batch.slice(0, 0))
    signals: dict[str, list[pa.Array]] = {name: [] for name in shape}
    errors: list[pa.Array] = []
    for piece, result in outcomes:
        reason = error_reason(key, result) if isinstance(result, Exception) else None
        errors.append(pa.array([reason] * piece.num_rows, pa.string()))
        for name, values in shape.items():
            array = pa.nulls(piece.num_rows, values.type) if isinstance(result, Exception) else result[name]
            signals[name].append(array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array)
    return {name: pa.concat_arrays(arrays) for name, arrays in signals.items()}, pa.concat_arrays(errors)

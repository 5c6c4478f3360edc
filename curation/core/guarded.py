"""Calls components so that one bad document never stops the others.

A failing batch is halved until the culprit stands alone; that row is dropped as `error.<key>.<Exception>` and its
neighbours are measured as if nothing had happened. So is one that exceeds a limit of time or memory (`net`).
"""

from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

import pyarrow as pa

from curation.core.component import Signals
from curation.core.errors import StageError, WinnowError
from curation.core.filter import Filter
from curation.core.reasons import error_reason
from curation.core.watchdog import Interruption, Overrun

T = TypeVar("T")


class Within(Protocol):
    """Puts limits on the calls of a component: they raise Overrun beyond them. `memory` is what it says that it
    needs."""

    def __call__(self, key: str, call: Callable[[pa.RecordBatch], T], memory: int) -> Callable[[pa.RecordBatch], T]: ...


def unlimited(key: str, call: Callable[[pa.RecordBatch], T], memory: int) -> Callable[[pa.RecordBatch], T]:
    """The call itself."""
    return call


def attempt(call: Callable[[pa.RecordBatch], T], batch: pa.RecordBatch) -> list[tuple[pa.RecordBatch, T | Exception]]:
    """Slices of the batch, in order, each with the result of `call`, or with the exception that its only row raised.

    A WinnowError is about the set-up, a fault of disk, network or memory about the machine, neither about a document:
    they are raised, and so is any failure on an empty batch.
    """
    try:
        return [(batch, call(batch))]
    except (WinnowError, OSError, MemoryError, KeyboardInterrupt, SystemExit, GeneratorExit, Interruption):
        raise
    except BaseException as error:  # a library in Rust panics with an exception that is no Exception
        if batch.num_rows == 0:
            raise
        if batch.num_rows == 1:
            if isinstance(error, Exception):
                return [(batch, error)]
            return [(batch, type(type(error).__name__, (Exception,), {})(str(error)))]
        pieces = error.pieces if isinstance(error, Overrun) else 2
    # Here the error is gone, and with it all that the call has in memory.
    step = max(batch.num_rows // pieces, 1)
    slices = (batch.slice(start, step) for start in range(0, batch.num_rows, step))
    return [outcome for piece in slices for outcome in attempt(call, piece)]


def measure(
    key: str, rule_set: Filter, batch: pa.RecordBatch, within: Within = unlimited
) -> tuple[dict[str, pa.Array], pa.Array]:
    """Signals by name (null where the filter failed), and string[N] of error reasons. What an earlier stage measured is
    taken from its column. Raises StageError for other signals than the filter declares."""
    if key in batch.schema.names:
        column = batch.column(key)
        names = [field.name for field in column.type]
        return dict(zip(names, column.flatten(), strict=True)), pa.nulls(len(batch), pa.string())
    declared = rule_set.signal_types()
    pieces: dict[str, list[pa.Array]] = {name: [] for name in declared}
    errors: list[pa.Array] = []
    for piece, result in attempt(within(key, rule_set.measure, rule_set.needs().memory), batch):
        if isinstance(result, Exception):
            signals = nulls(declared, len(piece))
            errors.append(pa.array([error_reason(key, result)] * len(piece), pa.string()))
        else:
            signals = as_declared(key, declared, result)
            errors.append(pa.nulls(len(piece), pa.string()))
        for name, values in signals.items():
            pieces[name].append(values)
    return {name: pa.concat_arrays(arrays) for name, arrays in pieces.items()}, pa.concat_arrays(errors)


def as_declared(key: str, declared: Signals, signals: Mapping[str, pa.Array]) -> dict[str, pa.Array]:
    """The signals in the declared order. Raises StageError for other names or types than those declared."""
    given = {name: values.type for name, values in signals.items()}
    if given != dict(declared):
        wrong = sorted(name for name in {*given, *declared} if given.get(name) != declared.get(name))
        raise StageError(
            f"{key}: {wrong[0]} is {given.get(wrong[0], 'not there')}, and signal_types() declares "
            f"{declared.get(wrong[0], 'nothing')}; change the one or the other"
        )
    return {name: _one_array(signals[name]) for name in declared}


def nulls(declared: Signals, rows: int) -> dict[str, pa.Array]:
    """The signals of documents on which a component failed."""
    return {name: pa.nulls(rows, kind) for name, kind in declared.items()}


def _one_array(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values

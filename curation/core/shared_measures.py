"""Measures of a batch that several rule sets share, computed once.

    with sharing():
        for rule_set in stage: rule_set.measure(batch)

Within the block, the second rule set to ask for lines, words or repeats gets the first one's result. Nothing is kept
after the block, and other threads see nothing of it. Two texts are the same if they are the same bytes in the same
memory, which is held until the block ends.
"""

import inspect
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import pyarrow as pa

P = ParamSpec("P")
R = TypeVar("R")

# The results of the innermost block, each with the input that it holds in memory; None outside any block.
_results: ContextVar[dict[Hashable, tuple[object, Any]] | None] = ContextVar("results", default=None)


@contextmanager
def sharing() -> Iterator[None]:
    """Compute each shared measure of a text once within this block."""
    before = _results.set({})
    try:
        yield
    finally:
        _results.reset(before)


def shared(measure: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Compute a function of an array of text, or of another shared function's result, once within `sharing`.

    Its other arguments must be hashable. The arrays in its result become read-only.
    """
    signature = inspect.signature(measure)

    @wraps(measure)
    def recall(measured: Any, /, *args: P.args, **options: P.kwargs) -> R:
        results = _results.get()
        if results is None:
            return measure(measured, *args, **options)
        bound = signature.bind(measured, *args, **options)
        bound.apply_defaults()
        key = (measure, _identity(measured), *list(bound.arguments.values())[1:])
        if key not in results:
            results[key] = measured, _read_only(measure(measured, *args, **options))
        result: R = results[key][1]
        return result

    return recall


def _identity(measured: Any) -> Hashable:
    """Equal for two arrays only if they are the same bytes in the same memory, and for other objects if identical."""
    if not isinstance(measured, pa.Array | pa.ChunkedArray):
        return id(measured)
    chunks = measured.chunks if isinstance(measured, pa.ChunkedArray) else [measured]
    return tuple((str(chunk.type), chunk.offset, len(chunk), *map(_address, chunk.buffers())) for chunk in chunks)


def _address(buffer: pa.Buffer | None) -> int | None:
    return None if buffer is None else buffer.address


def _read_only(measured: R) -> R:
    """The result with its arrays locked, since the next caller gets the same ones."""
    fields = measured if isinstance(measured, tuple) else getattr(measured, "__dict__", {}).values()
    for value in (measured, *fields):
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    return measured

"""Measures that several rule sets take of the same batch, taken once.

    with sharing():
        for rule_set in stage: rule_set.measure(batch)

Within the block, the second rule set to ask for lines, words or repeats gets what the first one measured. Nothing is
kept afterwards, and no other thread sees it. Texts are the same when they are the same bytes in the same memory, which
is held until the block ends.
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

# What was measured in the innermost block, with the thing measured; None outside of all.
_found: ContextVar[dict[Hashable, tuple[object, Any]] | None] = ContextVar("found", default=None)


@contextmanager
def sharing() -> Iterator[None]:
    """Take each measure of a text once within this block, and let go of all of them at its end."""
    before = _found.set({})
    try:
        yield
    finally:
        _found.reset(before)


def shared(measure: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Let a function of an array of text, or of what another shared function gave, be called once within `sharing`.

    Its other arguments must be hashable. The arrays in what it gives then cannot be written to.
    """
    signature = inspect.signature(measure)

    @wraps(measure)
    def recall(thing: Any, /, *args: P.args, **options: P.kwargs) -> R:
        found = _found.get()
        if found is None:
            return measure(thing, *args, **options)
        bound = signature.bind(thing, *args, **options)
        bound.apply_defaults()
        key = (measure, _identity(thing), *list(bound.arguments.values())[1:])
        if key not in found:
            found[key] = thing, _read_only(measure(thing, *args, **options))
        result: R = found[key][1]
        return result

    return recall


def _identity(thing: Any) -> Hashable:
    """Equal for two arrays only if they are the same bytes in the same memory, for other things if they are one."""
    if not isinstance(thing, pa.Array | pa.ChunkedArray):
        return id(thing)
    chunks = thing.chunks if isinstance(thing, pa.ChunkedArray) else [thing]
    return tuple((str(chunk.type), chunk.offset, len(chunk), *map(_address, chunk.buffers())) for chunk in chunks)


def _address(buffer: pa.Buffer | None) -> int | None:
    return None if buffer is None else buffer.address


def _read_only(measured: R) -> R:
    """A measure, its arrays locked: the next one to ask gets the same ones."""
    parts = measured if isinstance(measured, tuple) else getattr(measured, "__dict__", {}).values()
    for value in (measured, *parts):
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    return measured

"""Read-only views of arrays, so that a named tuple of arrays always has the type that kernels are compiled for."""

from typing import Any, TypeVar

import numpy as np

Record = TypeVar("Record", bound=tuple[Any, ...])


def read_only(record: Record) -> Record:
    """The NamedTuple with each array replaced by a read-only view."""
    views = [value.view() if isinstance(value, np.ndarray) else value for value in record]
    for view in views:
        if isinstance(view, np.ndarray):
            view.flags.writeable = False
    return type(record)(*views)

"""Read-only views: what named tuples of arrays hold, so that their types are always the same."""

from typing import Any, TypeVar

import numpy as np

Record = TypeVar("Record", bound=tuple[Any, ...])


def read_only(record: Record) -> Record:
    """A NamedTuple with its arrays, its other values as they are, as views that may not be written."""
    views = [value.view() if isinstance(value, np.ndarray) else value for value in record]
    for view in views:
        if isinstance(view, np.ndarray):
            view.flags.writeable = False
    return type(record)(*views)

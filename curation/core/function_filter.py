"""Makes a filter of a function of a text, by one line.

    @winnow.filter
    def no_lorem_ipsum(text: str) -> bool:  # True: keep
        return "lorem ipsum" not in text

    @winnow.filter(max_value=0.2)
    def question_share(text: str) -> float:
        return text.count("?") / max(len(text.split()), 1)

The function's name is the key: `no_lorem_ipsum.value:low` is the reason of what it drops. Its only signal is `value`,
which is 1 or 0 of a function that answers True or False. The hash of its code is part of the stage's address
(`code_hash`), so a changed function runs again.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar, overload

import numpy as np
import pyarrow as pa

from curation.core.component import Signals
from curation.core.errors import UserError
from curation.core.filter import Filter
from curation.core.limits import Limit

Function = Callable[[str], bool | float | np.generic | None]
VALUE = "value"


@dataclass(frozen=True, kw_only=True)
class FunctionFilter(Filter):
    """Limits on what a function answers of each text. Without any it only measures."""

    min_value: Annotated[float | None, "least answer that is kept"] = None
    max_value: Annotated[float | None, "greatest answer that is kept"] = None

    function: ClassVar[Function]
    decides: ClassVar[bool] = False  # whether it answers True or False
    limits: ClassVar[tuple[Limit, ...]] = (Limit(VALUE, least="min_value", most="max_value"),)
    version: ClassVar[int] = 1

    def signal_types(self) -> Signals:
        """The function's answer."""
        return {VALUE: pa.int64() if self.decides else pa.float64()}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Calls the function for each text. Raises UserError for an answer of another type."""
        answers = [type(self).function(text) for text in batch.column("text").to_pylist()]
        kinds = (bool, np.bool_) if self.decides else (bool, np.bool_, int, float, np.number)
        wrong = next((one for one in answers if one is not None and not isinstance(one, kinds)), None)
        if wrong is not None:
            expected = "True or False" if self.decides else "a number"
            raise UserError(f"{type(self).__name__} answers {wrong!r} of a text; let it answer {expected}")
        kind = self.signal_types()[VALUE]
        return {VALUE: pa.array([None if one is None else float(one) for one in answers], pa.float64()).cast(kind)}


@overload
def filter(
    function: Function, /, *, min_value: float | None = ..., max_value: float | None = ..., name: str = ...
) -> FunctionFilter: ...
@overload
def filter(
    *, min_value: float | None = ..., max_value: float | None = ..., name: str = ...
) -> Callable[[Function], FunctionFilter]: ...
def filter(
    function: Function | None = None,
    /,
    *,
    min_value: float | None = None,
    max_value: float | None = None,
    name: str = "",
) -> FunctionFilter | Callable[[Function], FunctionFilter]:
    """A filter of a function of a text: True keeps, or the answer must lie between the limits. `name` is its key, the
    function's own by default. Raises UserError for a name that no column can have."""
    if function is None:
        return lambda given: _made(given, min_value, max_value, name)
    return _made(function, min_value, max_value, name)


def _made(function: Function, least: float | None, most: float | None, name: str) -> FunctionFilter:
    key = name or getattr(function, "__name__", "")
    if not callable(function):
        raise UserError(f"{function!r} is no function; write @winnow.filter before one that takes a text")
    if not key.isidentifier() or key.startswith("_"):
        raise UserError(f"{key!r} cannot name a column; give the filter a name: winnow.filter(…, name='my_filter')")
    answer = inspect.signature(function).return_annotation
    decides = least is None and most is None and answer not in (float, int, "float", "int")
    fields = {"function": staticmethod(function), "decides": decides, "called": key, "__doc__": function.__doc__}
    fields |= {"__module__": function.__module__ or "__main__", "__qualname__": key}
    # Not by the function's name in its module, which is the filter's: cloudpickle then sends the class itself.
    kind = type(key, (FunctionFilter,), fields)
    made: FunctionFilter = kind(min_value=1.0 if decides else least, max_value=most)
    return made

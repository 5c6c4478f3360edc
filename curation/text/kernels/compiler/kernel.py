"""The decorator of every compiled kernel, and the types of its arguments.

A kernel's annotations are its signature. It is compiled when it is first called on a machine, and read from the cache
(`cache.py`) in every other process that calls it: a command that calls few of them starts at once.

A kernel that makes no arrays does not count references. Counting costs an atomic addition for every array at each call
and for every access to an array in a named tuple, which can take longer than a short kernel's work.

Kernels index without bounds checks and divide as NumPy does: callers must pass the shapes that the docstrings state.
"""

import threading
from collections.abc import Callable, Iterable
from functools import cached_property, update_wrapper
from inspect import getfile
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeAlias, TypeVar, cast, get_args, get_origin, get_type_hints

import numba
import numpy as np
from numba import types

from curation.core.errors import UserError
from curation.text.kernels.compiler.cache import load_or_compile

_WRITABLE = "writable"
_TWO_DIMENSIONS = "two dimensions"
Array = TypeVar("Array", bound=np.ndarray[Any, Any])
Function = TypeVar("Function", bound=Callable[..., Any])
Record = TypeVar("Record", bound=tuple[Any, ...])

# Types of a kernel's arguments, beside the scalars of Python and NumPy, arrays, and NamedTuples of these.
Int: TypeAlias = int | np.integer[Any]  # an int64, as is an int
Byte: TypeAlias = Annotated[Any, np.uint8]
Out: TypeAlias = Annotated[Array, _WRITABLE]  # other arrays are read-only, because views of Arrow buffers are
Grid: TypeAlias = Annotated[Array, _TWO_DIMENSIONS]

_LOADING = threading.RLock()  # a kernel loads those that it calls
# Names by which kernels make arrays.
_MAKE_ARRAYS = frozenset(("arange", "array", "astype", "copy", "empty", "full", "lexsort", "sort", "zeros"))


class Kernel:
    """A function for its annotated types, which runs without the GIL and is cached on disk. It is loaded when it is
    called, or inlined into another kernel, for the first time."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        return self.loaded(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """By this Numba knows a kernel in the code of another."""
        return self.loaded._numba_type_

    @cached_property
    def signature(self) -> Any:
        return _signature(self.function)

    @cached_property
    def loaded(self) -> Any:
        """Numba's own object for the function. Raises UserError if Numba finds no writable folder for its cache."""
        with _LOADING:
            return self._load()

    def _load(self) -> Any:
        try:
            owns = _owns_arrays(self.function, self.signature)
            options = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": owns}
            dispatcher: Any = numba.njit(**cast(Any, options))(self.function)
        except RuntimeError as error:
            # Never a folder that everyone can write to: another user's code would run.
            raise UserError(
                f"compiled code cannot be cached: neither {Path(getfile(self.function)).parent} nor the home folder is "
                "writable; set NUMBA_CACHE_DIR to a folder of your own"
            ) from error
        load_or_compile(dispatcher, self.signature, Path(getfile(self.function)), self._load_called)
        dispatcher.disable_compile()
        return dispatcher

    def _load_called(self) -> None:
        for callee in _called(self.function):
            _ = callee.loaded


def kernel(function: Function) -> Function:
    """Compile a function for its annotated types, as `Kernel` says."""
    return cast(Function, Kernel(function))


def read_only(record: Record) -> Record:
    """The NamedTuple with each array replaced by a read-only view, so that it has the type that kernels expect."""
    values = [value.view() if isinstance(value, np.ndarray) else value for value in record]
    for value in values:
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    return type(record)(*values)


def _signature(function: Callable[..., Any]) -> Any:
    hints = get_type_hints(function, include_extras=True)
    result = _compiled_type(hints.pop("return"), result=True)
    return result(*(_compiled_type(hint) for hint in hints.values()))


def _compiled_type(hint: Any, *, result: bool = False) -> Any:
    """The Numba type of an annotation. The arrays of a `result` are new and so writable."""
    marks: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        marks = hint.__metadata__
        hint = hint.__origin__
    if hasattr(get_origin(hint), "__value__"):  # a `type` statement, as NDArray is from NumPy 2.5 on
        hint = get_origin(hint).__value__[get_args(hint)]
    if get_origin(hint) is np.ndarray:
        scalar = numba.from_dtype(np.dtype(get_args(get_args(hint)[1])[0]))
        readonly = not result and _WRITABLE not in marks
        return types.Array(scalar, 1 + marks.count(_TWO_DIMENSIONS), "C", readonly=readonly)
    if get_origin(hint) is tuple:
        return _tuple(_compiled_type(item, result=result) for item in get_args(hint))
    if hasattr(hint, "_fields"):
        return _tuple(map(_compiled_type, get_type_hints(hint, include_extras=True).values()), hint)
    if hint is type(None):
        return types.void
    if marks or not isinstance(hint, UnionType):
        return numba.from_dtype(np.dtype(marks[0] if marks else hint))
    return types.int64


def _tuple(items: Iterable[Any], record: type | None = None) -> Any:
    return types.BaseTuple.from_types(list(items), record)  # type: ignore[no-untyped-call]


def _owns_arrays(function: Callable[..., Any], signature: Any) -> bool:
    """Whether a kernel makes arrays, gets them from a kernel that it calls, or returns one.

    Numba refuses to compile a kernel without reference counts that makes an array in a way not listed here.
    """
    results = [signature.return_type, *(callee.signature.return_type for callee in _called(function))]
    makes = not _MAKE_ARRAYS.isdisjoint(function.__code__.co_names)
    return makes or any(_holds_array(result) for result in results)


def _called(function: Callable[..., Any]) -> list[Kernel]:
    """The kernels that a function names."""
    cells = (cell.cell_contents for cell in function.__closure__ or ())
    named = (function.__globals__.get(name) for name in function.__code__.co_names)
    return [value for value in (*named, *cells) if isinstance(value, Kernel)]


def _holds_array(kind: Any) -> bool:
    return isinstance(kind, types.Array) or (
        isinstance(kind, types.BaseTuple) and any(map(_holds_array, cast(Any, kind).types))
    )

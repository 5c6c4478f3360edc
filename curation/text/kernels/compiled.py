"""The decorator of every compiled kernel, and the types of its arguments.

A kernel's annotations are its signature. It is compiled when it is first called on a machine, and read from Numba's
cache in every other process that calls it: a command that calls few of them starts at once. Numba's own cache notices a
change in the kernel's file, but not in files whose kernels it inlined. Here a change in any file of curation that the
kernel's file imports, directly or not, compiles it again. On each machine the first process compiles a kernel while the
others wait.

A kernel that makes no arrays does not count references. Counting costs an atomic addition for every array at each call
and for every access to an array in a named tuple, which can take longer than a short kernel's work.

Kernels index without bounds checks and divide as NumPy does: callers must pass the shapes that the docstrings state.
"""

import fcntl
import logging
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property, lru_cache, update_wrapper
from inspect import getfile
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeAlias, TypeVar, cast, get_args, get_origin, get_type_hints

import numba
import numba.extending
import numpy as np
from numba import types

from curation.core.errors import UserError

log = logging.getLogger(__name__)

_WRITABLE, _TWO_DIMENSIONS = "writable", "two dimensions"
Array = TypeVar("Array", bound=np.ndarray[Any, Any])
Function = TypeVar("Function", bound=Callable[..., Any])
Record = TypeVar("Record", bound=tuple[Any, ...])
Result = TypeVar("Result")

# Types of a kernel's arguments, beside the scalars of Python and NumPy, arrays, and NamedTuples of these.
Int: TypeAlias = int | np.integer[Any]  # an int64, as is an int
Byte: TypeAlias = Annotated[Any, np.uint8]
Out: TypeAlias = Annotated[Array, _WRITABLE]  # other arrays are read-only, because views of Arrow buffers are
Grid: TypeAlias = Annotated[Array, _TWO_DIMENSIONS]

_LOADING = threading.RLock()  # a kernel loads those that it calls
# Names by which kernels make arrays.
_MAKE_ARRAYS = frozenset(("arange", "array", "astype", "copy", "empty", "full", "lexsort", "sort", "zeros"))
_ROOM = Path(__file__).parents[2]  # curation
_IMPORT = re.compile(r"^(?:from|import) (curation[\w.]*)(?: import (\w[\w, ]*|\([^)]*\)))?", re.MULTILINE)


def intrinsic(result: type[Result]) -> Callable[[Callable[..., Any]], Callable[..., Result]]:
    """`numba.extending.intrinsic`, which type checkers then see as a function that returns `result`."""

    def define(function: Callable[..., Any]) -> Callable[..., Result]:
        return cast(Callable[..., Result], numba.extending.intrinsic(function))

    return define


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
        # Numba has no public hook for the stamp that decides whether a cached kernel is still valid.
        dispatcher._cache._cache_file._source_stamp = _source_stamp(Path(getfile(self.function)))
        _load_or_compile(dispatcher, self.signature, _called(self.function))
        dispatcher.disable_compile()
        return dispatcher


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
        marks, hint = hint.__metadata__, hint.__origin__
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


def _load_or_compile(dispatcher: Any, signature: Any, called: Iterable[Kernel]) -> None:
    """Read a kernel from the cache. If it is not there, the first process compiles it and the others wait."""
    cache, file = dispatcher._cache, dispatcher._cache._cache_file
    folder = Path(cache.cache_path)
    with _locked(folder, fcntl.LOCK_SH):
        name = file._load_index().get(cache._index_key(signature, dispatcher.targetctx.codegen()))
        if name is not None and (folder / name).is_file():
            dispatcher.compile(signature)
            return
    _tell_once()
    for callee in called:  # before the lock, which this process could not take twice
        _ = callee.loaded
    with _locked(folder, fcntl.LOCK_EX):
        if not file._load_index():  # a process that dies below must not leave an old kernel under the new stamp
            for stale in folder.glob(f"{Path(file._index_path).stem}.*.nbc"):
                stale.unlink()
        dispatcher.compile(signature)


@cache
def _tell_once() -> None:
    log.info("compiling kernels; on each machine that happens once")


@contextmanager
def _locked(folder: Path, kind: int) -> Iterator[None]:
    """Hold a lock on a cache's folder; `kind` is LOCK_SH or LOCK_EX of fcntl."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "kernels.lock").open("ab") as file:
        fcntl.flock(file, kind)
        yield


@lru_cache
def _source_stamp(file: Path) -> tuple[tuple[str, float, int], ...]:
    """Path, modification time and size of every source file that a kernel in `file` may inline: the files of curation
    that it imports, directly or not, and for a file outside curation also its neighbours."""
    beside = () if _ROOM in file.parents else file.parent.glob("*.py")
    waiting, reached = [file, *beside], set[Path]()
    while waiting:
        source = waiting.pop()
        if source not in reached:
            reached.add(source)
            waiting += _imported(source)
    return tuple((str(path), (stat := path.stat()).st_mtime, stat.st_size) for path in sorted(reached))


@cache
def _imported(source: Path) -> tuple[Path, ...]:
    """The files of curation that a source file imports."""
    modules = []
    for package, names in _IMPORT.findall(source.read_text("utf-8")):
        modules += [package, *(f"{package}.{name}" for name in re.findall(r"\w+", names))]
    files = (_ROOM.parent.joinpath(*module.split(".")).with_suffix(".py") for module in modules)
    return tuple(file for file in files if file.is_file())

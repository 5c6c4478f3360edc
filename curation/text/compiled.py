"""One decorator for every compiled kernel, and the array types of their signatures.

A kernel states its signature, so that it compiles when its module is imported and is read back from Numba's cache
afterwards. Numba's own cache notices a change in a kernel's file but not in a file whose kernels it inlined; here a
change in any file of `curation/text/` or beside the kernel compiles it anew.

Kernels index without bounds checks and divide as NumPy does: every caller passes what the docstrings say.
"""

from collections.abc import Callable
from functools import lru_cache
from inspect import getfile
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numba import types

Int: TypeAlias = int | np.integer[Any]  # what a whole number is to a kernel, in which an int is an int64
Function = TypeVar("Function", bound=Callable[..., Any])


def _array(scalar: Any, *, readonly: bool = False, dimensions: int = 1) -> Any:
    return types.Array(scalar, dimensions, "C", readonly=readonly)


# Inputs are read-only, because NumPy views of Arrow buffers are; a writable array may be passed for them too.
BYTES = _array(types.uint8, readonly=True)
INDICES = _array(types.int64, readonly=True)
TABLE = _array(types.uint16, readonly=True)
CODEPOINTS = _array(types.int32, readonly=True)
HASHES = _array(types.uint64, readonly=True)
OUT_BYTES = _array(types.uint8)
OUT_BOOLS = _array(types.bool_)
OUT_INT32 = _array(types.int32)
OUT_INT64 = _array(types.int64)
OUT_UINT64 = _array(types.uint64)
OUT_FLOAT64 = _array(types.float64)
OUT_FLOAT64_2D = _array(types.float64, dimensions=2)
INT64_PAIR = types.UniTuple(types.int64, 2)  # type: ignore[no-untyped-call]
UINT64_PAIR = types.UniTuple(types.uint64, 2)  # type: ignore[no-untyped-call]


def kernel(signature: Any) -> Callable[[Function], Function]:
    """Compile a function for one signature, without the GIL, cached on disk."""

    def compile_now(function: Function) -> Function:
        dispatcher: Any = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
        # No public hook exists for the stamp that a cached kernel is compared with.
        dispatcher._cache._cache_file._source_stamp = _source_stamp(Path(getfile(function)).parent)
        dispatcher.compile(signature)
        dispatcher.disable_compile()
        return cast(Function, dispatcher)

    return compile_now


@lru_cache
def _source_stamp(folder: Path) -> tuple[tuple[str, float, int], ...]:
    """Name, modification time and size of every source file that a kernel in `folder` may inline."""
    files = sorted({*Path(__file__).parent.glob("*.py"), *folder.glob("*.py")})
    return tuple((file.name, (stat := file.stat()).st_mtime, stat.st_size) for file in files)

"""A kernel is compiled for its annotations, when it is called, with those that it calls."""

import importlib
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pytest
from numba import types
from numba.core import caching
from typing_extensions import TypeAliasType

import curation.text.kernels.compiler.kernel as compiled
import curation.text.kernels.unicode as unicode
from curation.core.errors import UserError
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Byte, Grid, Int, Out, read_only
from curation.text.kernels.hashing import hash_spans


class Counted(NamedTuple):
    values: Indices
    size: int


def test_read_only_views_show_the_same_memory_and_cannot_be_written() -> None:
    values = np.arange(3)
    view = read_only(Counted(values, 3))
    values[1] = 7
    assert view.values.tolist() == [0, 7, 2]
    assert view.size == 3
    with pytest.raises(ValueError, match="read-only"):
        view.values[0] = 1


def test_a_kernel_compiles_nothing_for_other_types() -> None:
    assert len(unicode.decode.loaded.signatures) == 1  # type: ignore[attr-defined]
    assert not unicode.decode.loaded._can_compile  # type: ignore[attr-defined]


def test_a_kernel_is_loaded_with_those_that_it_calls_once_it_is_called(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(folder))
    kernels = importlib.import_module("some_kernels")
    each = (kernels.inner, kernels.outer)
    assert not any("loaded" in vars(one) for one in each)
    assert kernels.outer(1) == 4
    assert all("loaded" in vars(one) for one in each)  # the other for the code of this one, which was not cached


def test_no_folder_for_the_cache_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])  # as where nothing may be written: root may anywhere
    with pytest.raises(UserError, match="set NUMBA_CACHE_DIR to a folder of your own"):
        compiled.kernel(_double)(1)


def _double(value: int) -> int:
    return 2 * value


def test_only_kernels_that_own_arrays_count_references() -> None:
    """Those that make one themselves, that get one from another kernel, or that give one back in a tuple."""
    array = types.Array(types.int64, 1, "C")  # type: ignore[no-untyped-call]
    pair = types.UniTuple(types.int64, 2)
    made = compiled._owns_arrays(lambda: np.zeros(3), types.void(array))
    called = compiled._owns_arrays(lambda data: hash_spans(data, data, data), types.void(array))
    tuples = types.Tuple((types.int64, array))  # type: ignore[no-untyped-call]
    assert made
    assert called
    assert compiled._owns_arrays(lambda data: (1, data), tuples(array))
    assert not compiled._owns_arrays(lambda data: data[0] + 1, pair(array))


class Pair(NamedTuple):
    given: Indices
    filled: Out[Indices]


def test_annotations_are_the_signature() -> None:
    def stated(
        data: Bytes, at: Int, byte: Byte, rate: float, pair: Pair, out: Out[Grid[Indices]]
    ) -> tuple[Bytes, bool]:
        raise NotImplementedError

    def array(kind: Any, dimensions: int = 1, *, readonly: bool) -> Any:
        return types.Array(kind, dimensions, "C", readonly=readonly)

    indices = array(types.int64, readonly=True)
    filled = array(types.int64, readonly=False)
    signature = compiled._signature(stated)
    assert signature.args == (
        array(types.uint8, readonly=True),
        types.int64,
        types.uint8,
        types.float64,
        types.NamedTuple((indices, filled), Pair),  # type: ignore[no-untyped-call]
        array(types.int64, 2, readonly=False),
    )
    result = types.Tuple((array(types.uint8, readonly=False), types.boolean))  # type: ignore[no-untyped-call]
    assert signature.return_type == result


def test_an_array_type_may_be_a_type_statement() -> None:
    """As `NDArray` is in NumPy 2.5, which Python 3.11 has not."""
    scalar = TypeVar("scalar", bound=np.generic)
    array = TypeAliasType("array", np.ndarray[tuple[Any, ...], np.dtype[scalar]], type_params=(scalar,))

    def stated(ids, out):  # type: ignore[no-untyped-def]
        raise NotImplementedError

    stated.__annotations__ = {"ids": array[np.uint64], "out": Out[array[np.int64]], "return": type(None)}
    assert compiled._signature(stated).args == (
        types.Array(types.uint64, 1, "C", readonly=True),
        types.Array(types.int64, 1, "C", readonly=False),
    )

"""Kernels are compiled once, and anew when any file they may inline has changed."""

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pytest
from numba import types
from numba.core import caching
from typing_extensions import TypeAliasType

import curation.text.kernels.compiled as compiled
import curation.text.kernels.unicode as unicode
import curation.text.spans as spans
from curation.core.errors import UserError
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiled import Byte, Grid, Int, Out, read_only
from curation.text.kernels.hashing import hash_spans

ROOT = Path(__file__).parents[4]
KERNELS = """
from curation.text.kernels.compiled import kernel

@kernel
def inner(value: int) -> int:
    return value + 1

@kernel
def outer(value: int) -> int:
    return inner(value) * 2
"""


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


def test_a_cached_kernel_is_stamped_with_every_file_it_may_inline() -> None:
    stamp = spans._find_words.loaded._cache._cache_file._source_stamp  # type: ignore[attr-defined]
    files = {Path(file).relative_to(ROOT / "curation" / "text").as_posix() for file, _, _ in stamp if "/text/" in file}
    assert {"spans.py", "kernels/unicode.py", "kernels/blocks.py", "kernels/compiled.py"} <= files
    assert "sentences.py" not in files


def test_the_stamp_changes_with_a_file_beside_the_kernel(tmp_path: Path) -> None:
    (tmp_path / "some_kernels.py").write_text(KERNELS)
    before = compiled._source_stamp(tmp_path / "some_kernels.py")
    (tmp_path / "new.py").write_text("x = 1\n")
    compiled._source_stamp.cache_clear()
    after = compiled._source_stamp(tmp_path / "some_kernels.py")
    assert {Path(file).name for file, _, _ in set(after) - set(before)} == {"new.py"}


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


def started(folder: Path) -> subprocess.Popen[str]:
    """A process that imports the kernels in `folder` and prints how many it loaded and compiled, and a result."""
    script = (
        "import some_kernels as k; result = k.outer(1); each = [k.inner.loaded.stats, k.outer.loaded.stats]; "
        "print(sum(sum(one.cache_hits.values()) for one in each), "
        "sum(sum(one.cache_misses.values()) for one in each), result)"
    )
    paths = os.pathsep.join([str(folder), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(folder / "cache")}
    return subprocess.Popen([sys.executable, "-c", script], env=environment, text=True, stdout=subprocess.PIPE)


def outcome(process: subprocess.Popen[str]) -> tuple[int, int, int]:
    output, _ = process.communicate(timeout=120)
    loaded, made, result = map(int, output.split())
    return loaded, made, result


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "some_kernels.py").write_text(KERNELS)
    return tmp_path


def test_of_processes_that_start_together_one_compiles_a_kernel(folder: Path) -> None:
    outcomes = [outcome(process) for process in [started(folder) for _ in range(3)]]
    assert [result for _, _, result in outcomes] == [4, 4, 4]
    assert sum(made for _, made, _ in outcomes) == 2
    assert sum(loaded for loaded, _, _ in outcomes) == 4
    assert outcome(started(folder)) == (2, 0, 4)


def test_a_changed_kernel_is_never_read_as_it_was(folder: Path) -> None:
    assert outcome(started(folder)) == (0, 2, 4)
    (folder / "some_kernels.py").write_text(KERNELS.replace("value + 1", "value + 10"))
    assert outcome(started(folder)) == (0, 2, 22)
    assert outcome(started(folder)) == (2, 0, 22)


def test_no_folder_for_the_cache_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])  # as where nothing may be written: root may anywhere
    with pytest.raises(UserError, match="set NUMBA_CACHE_DIR to a folder of your own"):
        compiled.kernel(_double)(1)


def _double(value: int) -> int:
    return 2 * value


def test_only_kernels_that_own_arrays_count_references() -> None:
    """Those that make one themselves, that get one from another kernel, or that give one back in a tuple."""
    array, pair = types.Array(types.int64, 1, "C"), types.UniTuple(types.int64, 2)  # type: ignore[no-untyped-call]
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

    indices, filled = array(types.int64, readonly=True), array(types.int64, readonly=False)
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

"""Kernels are compiled once, and anew when any file they may inline has changed."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import curation.text.kernels.compiler.cache as cache
import curation.text.spans as spans
from curation.text.kernels.compiler.kernel import kernel
from tests.curation.text.kernels.compiler.conftest import KERNELS

ROOT = Path(__file__).parents[5]


def test_what_is_private_in_numba_is_as_it_was_with_0_68(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails first when a new Numba changes its cache: then read docs/kernels.md, mend cache.py and name the version."""
    assert numba.__version__.startswith("0.68."), "read docs/kernels.md, then state the version here and in cache.py"
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(folder / "cache"))
    dispatcher = numba.njit(cache=True)(_double)
    file = dispatcher._cache._cache_file
    assert file._source_stamp, "it is what a cached kernel is compared with"
    signature = numba.int64(numba.int64)
    assert file._load_index() == {}
    dispatcher.compile(signature)
    (key,) = file._load_index()
    assert key == dispatcher._cache._index_key(signature, dispatcher.targetctx.codegen())
    name = file._load_index()[key]
    assert (Path(dispatcher._cache.cache_path) / name).is_file()
    assert name.startswith(Path(file._index_path).stem)
    assert kernel(_double)._numba_type_ is not None  # type: ignore[attr-defined]


def _double(value: int) -> int:
    return 2 * value


def test_a_cached_kernel_is_stamped_with_every_file_it_may_inline() -> None:
    stamp = spans._find_words.loaded._cache._cache_file._source_stamp  # type: ignore[attr-defined]
    files = {Path(file).relative_to(ROOT / "curation" / "text").as_posix() for file, _, _ in stamp if "/text/" in file}
    assert {
        "spans.py",
        "kernels/unicode.py",
        "kernels/blocks.py",
        "kernels/compiler/instructions.py",
        "kernels/compiler/kernel.py",
    } <= files
    assert "sentences.py" not in files


def test_the_stamp_changes_with_a_file_beside_the_kernel(folder: Path) -> None:
    before = cache.source_stamp(folder / "some_kernels.py")
    (folder / "new.py").write_text("x = 1\n")
    cache.source_stamp.cache_clear()
    after = cache.source_stamp(folder / "some_kernels.py")
    assert {Path(file).name for file, _, _ in set(after) - set(before)} == {"new.py"}


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


def test_of_processes_that_start_together_one_compiles_a_kernel_and_again_once_it_changed(folder: Path) -> None:
    outcomes = [outcome(process) for process in [started(folder) for _ in range(3)]]
    assert [result for _, _, result in outcomes] == [4, 4, 4]
    assert sum(made for _, made, _ in outcomes) == 2
    assert sum(loaded for loaded, _, _ in outcomes) == 4
    (folder / "some_kernels.py").write_text(KERNELS.replace("value + 1", "value + 10"))
    assert outcome(started(folder)) == (0, 2, 22)
    assert outcome(started(folder)) == (2, 0, 22)


def test_an_argument_s_class_may_get_another_name(folder: Path) -> None:
    """Numba's index holds the classes of NamedTuples by name, and is read before it is known to be old."""
    kernels = """
from typing import NamedTuple

class Pair(NamedTuple):
    first: int

@kernel
def of_pair(pair: Pair) -> int:
    return pair.first

def outer(value: int) -> int:
    return of_pair(Pair(value))

inner, outer.loaded = of_pair, of_pair.loaded
"""
    text = KERNELS.partition("@kernel")[0] + kernels
    (folder / "some_kernels.py").write_text(text)
    assert outcome(started(folder)) == (0, 2, 1)
    (folder / "some_kernels.py").write_text(text.replace("Pair", "Two"))
    assert outcome(started(folder)) == (0, 2, 1)

"""Numba's cache of compiled kernels, made safe for files that change and for processes that start together.

Numba notices a change in a kernel's own file, but not in files whose kernels it inlined. Here a change in any file of
curation that the kernel's file imports, directly or not, compiles it again. On each machine the first process compiles
a kernel while the others wait. Numba has no public hook for either: `_cache`, `_cache_file`, `_source_stamp`,
`_load_index`, `_index_key` and `_index_path` are its private names, tried with 0.68.
"""

import fcntl
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

_ROOM = Path(__file__).parents[3]  # curation
_IMPORT = re.compile(r"^(?:from|import) (curation[\w.]*)(?: import (\w[\w, ]*|\([^)]*\)))?", re.MULTILINE)


def load_or_compile(dispatcher: Any, signature: Any, source: Path, load_called: Callable[[], None]) -> None:
    """Read the kernel of a Numba dispatcher, whose code is in the file `source`, from the cache. If it is not there,
    the first process compiles it and the others wait; `load_called` loads the kernels that it calls."""
    cache = dispatcher._cache
    file = dispatcher._cache._cache_file
    file._source_stamp = source_stamp(source)
    folder = Path(cache.cache_path)
    with _locked(folder, fcntl.LOCK_SH):
        name = _index(file).get(cache._index_key(signature, dispatcher.targetctx.codegen()))
        if name is not None and (folder / name).is_file():
            dispatcher.compile(signature)
            return
    _tell_once()
    load_called()  # before the lock, which this process could not take twice
    with _locked(folder, fcntl.LOCK_EX):
        if not _index(file):  # a process that dies below must not leave an old kernel under the new stamp
            Path(file._index_path).unlink(missing_ok=True)
            for stale in folder.glob(f"{Path(file._index_path).stem}.*.nbc"):
                stale.unlink()
        dispatcher.compile(signature)


def _index(file: Any) -> Mapping[Any, str]:
    """Signature -> the file that has the kernel compiled for it; none where the stamp is another, or where an old index
    names a type that has moved since: Numba reads all of it before it compares the stamps."""
    try:
        index: Mapping[Any, str] = file._load_index()
    except (AttributeError, ImportError):
        return {}
    return index


@cache
def _tell_once() -> None:
    log.warning("compiling the kernels that this command needs, up to a minute; each is compiled once on a machine")


@contextmanager
def _locked(folder: Path, kind: int) -> Iterator[None]:
    """Hold a lock on a cache's folder; `kind` is LOCK_SH or LOCK_EX of fcntl."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "kernels.lock").open("ab") as file:
        fcntl.flock(file, kind)
        yield


@lru_cache
def source_stamp(file: Path) -> tuple[tuple[str, float, int], ...]:
    """Path, modification time and size of every source file that a kernel in `file` may inline: the files of curation
    that it imports, directly or not, and for a file outside curation also its neighbours."""
    beside = () if _ROOM in file.parents else file.parent.glob("*.py")
    waiting = [file, *beside]
    reached = set[Path]()
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

"""Lets Ray's workers import winnow's own packages where a stranger's of the same name would come first.

Ray puts the folder of the script and the current one at the head of the workers' import path. If a folder of the path
has a `cluster`, a `pipelines` or another package of a name of winnow's, the workers import `winnow` before all else,
which then finds its own (`winnow.packages`). Elsewhere Ray starts as ever.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from ray import cloudpickle

NAMES = ("cluster", "curation", "pipelines", "training")  # as in winnow.packages


@contextmanager
def own_packages() -> Iterator[dict[str, Any]]:
    """Options of `ray.init`, which is called in this context."""
    if not _strangers():
        yield {}
        return
    module = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]  # a worker cannot find it by name yet
    try:
        yield {"runtime_env": {"worker_process_setup_hook": import_winnow}}
    finally:
        cloudpickle.unregister_pickle_by_value(module)  # type: ignore[no-untyped-call]


def import_winnow() -> None:
    """Runs first in a worker. Where there is no winnow, the check of the nodes says so."""
    with suppress(ImportError):
        import_module("winnow")


def _strangers() -> bool:
    """Whether a folder of the workers' import path has one of the names, and is no copy of winnow."""
    entries = {Path(entry).resolve() for entry in (*sys.path, "", str(Path(sys.argv[0]).parent))}
    folders = [folder for folder in entries if not _exists(folder / "winnow" / "packages.py")]
    return any(_exists(folder / f"{name}{end}") for folder in folders for name in NAMES for end in ("", ".py"))


def _exists(path: Path) -> bool:
    """False also for what may not be looked at, where Path.exists raises."""
    return os.access(path, os.F_OK)

"""Finds winnow's four packages beside this one, whatever else has their names on the import path.

`curation`, `training`, `pipelines` and `cluster` are names that others use too: a folder next to a script, a package of
the index. They are imported from where winnow lies, so a stranger does no harm. A process that wants the stranger too
gets one line that names both. Why they are not `winnow.curation` and so on: docs/python.md.
"""

import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

NAMES = ("cluster", "curation", "pipelines", "training")
ROOT = Path(__file__).resolve().parents[1]


class OwnPackages(MetaPathFinder):
    """Finds the four packages in `ROOT`, before all other finders."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's spec; None for what belongs to none of the packages. Raises ImportError for a module that only a
        stranger's package of the same name has."""
        package, _, inside = name.partition(".")
        if package not in NAMES:
            return None
        spec = PathFinder.find_spec(name, path if inside else [str(ROOT)], target)
        if spec is None and inside and (stranger := find_stranger(package)) is not None:
            # No ModuleNotFoundError, which `from package import name` would hide.
            raise ImportError(f"winnow has no {name}; {_both(package, stranger)}", name=name)
        return spec


def claim() -> None:
    """Makes the four names winnow's in this process. Raises ImportError where one is imported already from another
    place."""
    if any(isinstance(finder, OwnPackages) for finder in sys.meta_path):
        return
    for name in NAMES:
        if name in sys.modules and (place := _place(sys.modules[name])) != ROOT / name:
            raise ImportError(f"{name} is already imported from {place}; {_both(name, place)}", name=name)
    sys.meta_path.insert(0, OwnPackages())


def find_stranger(name: str) -> Path | None:
    """The first package or module of this name on the import path that is of no copy of winnow; None if there is
    none."""
    folders = [Path(entry or ".").resolve() for entry in sys.path]
    places = [folder / end for folder in folders for end in (name, f"{name}.py")]
    strangers = (place for place in places if _exists(place) and not _exists(place.parent / "winnow/packages.py"))
    return next(strangers, None)


def _exists(path: Path) -> bool:
    """False also for what may not be looked at, where Path.exists raises."""
    return os.access(path, os.F_OK)


def _place(module: ModuleType) -> Path:
    """The folder of a package, or the file of a module that is none."""
    places = list(getattr(module, "__path__", ())) or [getattr(module, "__file__", None) or "."]
    return Path(places[0]).resolve()


def _both(name: str, place: Path) -> str:
    return (
        f"winnow has a package called {name} too ({ROOT / name}), and one process cannot hold both: rename {place}, or "
        "run winnow in a process of its own, as the command `winnow` or a script that does not import the other"
    )

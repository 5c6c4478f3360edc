"""What travels with a job: a zip with the recipe, the files that its options name by relative paths, and wheels.

Ray unpacks it on every node, into the folder in which the command and all its tasks run.
"""

import os
import zipfile
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path, PurePath

from curation.core.component import Component
from curation.core.errors import InputError
from curation.core.storage_options import Secret
from curation.engine.recipe.assets import fits_named, unfolded
from curation.engine.recipe.recipe import Recipe

MAX_BYTES = 100 << 20  # Ray's dashboard takes no more in one request
SKIPPED = "__pycache__"  # and everything hidden, such as .git and .venv
EARLIEST = (1980, 1, 1, 0, 0, 0)  # time of every file in the zip: equal files give equal packages, which Ray keeps


def write_package(target: Path, files: Mapping[str, Path], wheels: Iterable[Path] = ()) -> None:
    """Writes a zip of `files` (name in the zip -> file) and of the wheels' contents, importable from its root.

    Raises InputError above MAX_BYTES, for a missing file, and for a file that is not a wheel of pure Python.
    """
    _check_size(files)
    try:
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
            for name in sorted(files):
                _add(package, name, files[name].read_bytes())
            for wheel in wheels:
                _add_wheel(package, wheel)
    except OSError as error:
        raise InputError(f"cannot send {error.filename} with the job: {error.strerror}") from error
    if target.stat().st_size > MAX_BYTES:
        raise InputError(f"the package has {_mb(target.stat().st_size)}; a job takes at most {_mb(MAX_BYTES)}")


def folder_files(folder: Path) -> dict[str, Path]:
    """All files below a folder, by their relative paths, without hidden ones and compiled Python."""
    files = {}
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != SKIPPED and not name.startswith(".")]
        for path in (Path(place, name) for name in names if not name.startswith(".")):
            files[path.relative_to(folder).as_posix()] = path
    return files


def asset_paths(recipe: Recipe) -> list[str]:
    """The files that the recipe's options name, as they are written there: paths and URIs, sorted.

    Assets that a fit stage of the recipe makes or a library contains are left out. So are the files of a component that
    cannot find them here: they may be on the nodes, where the job names what is missing.
    """
    paths = set[str]()
    for stage in chain(*recipe.sources.values(), recipe.joined):
        for _, component in unfolded(stage.components):
            if not fits_named(component):
                try:
                    assets = component.assets()
                except ValueError:
                    continue
                for option, files in assets.items():
                    if not isinstance(files, str):
                        paths.update(files if isinstance(files, tuple) else files.values())
                    elif files == vars(component)[option]:
                        paths.add(files)
    return sorted(paths)


def _has_secret(component: Component) -> bool:
    return any(isinstance(value, Secret) for value in vars(component).values())


def keyed(recipe: Recipe) -> list[Component]:
    """The recipe's components with a secret that every node must have."""
    stages = chain(*recipe.sources.values(), recipe.joined)
    return [component for stage in stages for _, component in stage.components if _has_secret(component)]


def travelling(paths: Iterable[str]) -> dict[str, Path]:
    """The relative ones among the paths, which go with the job. Raises InputError for one that leaves the folder."""
    files = {}
    for path in paths:
        if "://" not in path and not path.startswith("/"):
            if ".." in PurePath(path).parts:
                raise InputError(
                    f"{path} lies outside the folder that a job is sent from; give a path below it, an absolute one "
                    "that every node sees, or a URI"
                )
            files[PurePath(path).as_posix()] = Path(path)
    return files


def _check_size(files: Mapping[str, Path]) -> None:
    sizes = {name: path.stat().st_size for name, path in files.items() if path.is_file()}
    if sum(sizes.values()) > MAX_BYTES:
        largest = max(sizes, key=lambda name: sizes[name])
        raise InputError(
            f"{len(sizes):,} files of {_mb(sum(sizes.values()))} would go with the job, at most {_mb(MAX_BYTES)} do; "
            f"the largest is {largest} with {_mb(sizes[largest])}: put it where every node sees it and name it by an "
            "absolute path or a URI"
        )


def _mb(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"


def _add(package: zipfile.ZipFile, name: str, content: bytes) -> None:
    package.writestr(zipfile.ZipInfo(name, EARLIEST), content, zipfile.ZIP_DEFLATED)


def _add_wheel(package: zipfile.ZipFile, wheel: Path) -> None:
    if not wheel.is_file():
        raise InputError(f"no file at {wheel}")
    if not wheel.name.endswith("-none-any.whl"):
        raise InputError(f"{wheel} is no wheel of pure Python (…-none-any.whl); install it on the nodes instead")
    try:
        with zipfile.ZipFile(wheel) as content:
            for name in sorted(content.namelist()):
                if not name.endswith("/"):
                    _add(package, name, content.read(name))
    except zipfile.BadZipFile as error:
        raise InputError(f"{wheel} is no wheel: {error}") from error

"""A folder of new files that is there whole or not at all.

On a local disk the files are written to a folder beside it, which is moved when all of them are there. A store has no
such move: there the last file that is written says that the folder is whole.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from curation.core import storage
from curation.core.errors import UserError
from curation.core.manifest import run_around


@contextmanager
def new_folder(output: str) -> Iterator[str]:
    """Gives the folder that the files are written to. Raises UserError, before anything is written, for an output that
    is not empty or lies in a run."""
    target = storage.absolute(output)
    check_free(target)
    if storage.in_store(target):
        yield target
        return
    folder = Path(target)
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f"_partial.{folder.name}.", dir=folder.parent))
    try:
        beside.chmod(0o755)
        yield str(beside)
        if folder.exists():  # empty
            folder.rmdir()
        beside.rename(folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def check_free(folder: str) -> None:
    """Raises UserError for a folder that holds anything but hidden files, such as those of a new repository, or that
    lies in a run."""
    if not folder.startswith("hf://") and (run := run_around(folder)):  # no run can be kept there
        raise UserError(f"{folder} lies in the run {run}, which holds its stages only; export to another folder")
    is_file = storage.size(folder) >= 0
    if is_file or any(not name.startswith(".") for name in storage.list_names(folder)):
        raise UserError(f"{folder} exists already; remove it, or export into a new folder")

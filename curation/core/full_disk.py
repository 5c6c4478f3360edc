"""Names the disk that is full: that of temporary files is seldom the one that a user thinks of."""

import errno
import shutil
import tempfile
from pathlib import Path

from curation.core.credentials import masked
from curation.core.wording import size

FULL = (errno.ENOSPC, errno.EDQUOT)


def os_error_line(error: OSError) -> str:
    """One line for a system's error: what happened, to which file, and if TMPDIR is full that it is.

    The file is unknown only of temporary files without a name: what a run writes is named by who writes it.
    """
    path = str(error.filename or "")
    if error.errno in FULL and (not path or _is_temporary(path)):
        folder = tempfile.gettempdir()
        left = size(shutil.disk_usage(folder).free)
        return f"TMPDIR {folder} is full ({left} left now); free space there, or set TMPDIR to a folder on another disk"
    return masked(f"{error.strerror or error}{path and f': {path}'}")


def _is_temporary(path: str) -> bool:
    """Whether a local file is on the disk of temporary files, and in their folder."""
    folder = Path(tempfile.gettempdir()).resolve()
    place = Path(path).resolve().parent
    inside = "://" not in path and place.is_relative_to(folder)
    return inside and place.exists() and place.stat().st_dev == folder.stat().st_dev

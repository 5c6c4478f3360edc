"""Folders of the user among the system's temporary ones, which all of the user's processes on this machine share."""

import os
import tempfile
from pathlib import Path

from curation.core.errors import InputError


def own_folder(name: str) -> Path:
    """TMPDIR/winnow-NAME-UID, which is made. Raises InputError if it is somebody else's."""
    folder = Path(tempfile.gettempdir(), f"winnow-{name}-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise InputError(f"{folder} belongs to somebody else; set TMPDIR to a folder of your own")
    return folder

"""Copies of token files from an object store on this machine's disk, where they can be memory-mapped.

A file is copied into a folder in TMPDIR on first use, and the copy is shared by all of the user's processes. Its name
depends on the file's URI, size and time, so a file that a takedown replaced is copied again. Copies stay for the next
run. The folder may be deleted at any time: files that are mapped live on.
"""

import fcntl
import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from curation.core import storage
from curation.core.credentials import masked
from curation.core.errors import InputError

CHUNK = 16 << 20  # bytes of a request


def local_copy(uri: str) -> str:
    """Path of the copy. Raises InputError if there is no such file."""
    fs, path = storage.resolve(uri)
    info = fs.get_file_info(path)
    if not info.is_file:
        raise InputError(f"no file at {uri}; copy the whole pack folder")
    name = hashlib.blake2b(f"{masked(uri)} {info.size} {info.mtime_ns}".encode(), digest_size=16).hexdigest()
    copy = _folder() / name
    if copy.exists():
        return str(copy)
    with copy.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the other processes of this machine wait for the one that copies
        if not copy.exists():
            partial = copy.with_suffix(".partial")
            with fs.open_input_file(path) as source, partial.open("wb") as target:
                shutil.copyfileobj(source, target, CHUNK)
            partial.replace(copy)
    return str(copy)


def _folder() -> Path:
    """The user's own folder. Raises InputError if it belongs to somebody else."""
    folder = Path(tempfile.gettempdir(), f"winnow-tokens-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise InputError(f"{folder} belongs to somebody else; set TMPDIR to a folder of your own")
    return folder

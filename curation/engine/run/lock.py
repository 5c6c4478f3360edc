"""One run at a time in a local folder: two drivers would overwrite each other's files."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from curation.core import storage
from curation.core.errors import InputError


@contextmanager
def only_run(output: str) -> Iterator[None]:
    """Holds the folder while the context lasts; the system lets go of it when the process dies, however it dies.

    Raises InputError while another process holds it. An object store is not locked: it has no such lock.
    """
    if "://" in output and not output.startswith("file://"):
        yield
        return
    path = storage.resolve(output)[1]
    storage.make_folder(output)
    handle = os.open(Path(path) / ".lock", os.O_RDWR | os.O_CREAT)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError(f"another winnow is running in {output}; wait for it, or give another --output") from error
        yield
    finally:
        os.close(handle)

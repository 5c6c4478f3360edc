"""A model folder on this machine's disk: of a folder in an object store a copy that a node's processes share.

Copies lie in TMPDIR/winnow-weights-UID, by where and when they were written. They may be deleted at any time, since
what is mapped lives on.
"""

import fcntl
import hashlib
import shutil
from pathlib import Path

from curation.core import storage
from curation.core.own_folder import own_folder

CHUNK = 16 << 20  # bytes of a request


def staged(folder: str) -> Path:
    """The folder itself, or its copy once it is complete; the first process of a node makes it, others wait."""
    if not storage.in_store(folder):
        return storage.local_path(folder)
    fs, path = storage.resolve(folder)
    files = {
        info.base_name: info
        for info in storage.listed(fs, path, recursive=False)
        if info.base_name.endswith((".json", ".safetensors"))
    }
    version = [folder.rstrip("/"), *sorted((name, info.size, str(info.mtime)) for name, info in files.items())]
    place = own_folder("weights") / hashlib.blake2b(repr(version).encode(), digest_size=16).hexdigest()
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            partial = place.with_suffix(".partial")
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir()
            for name, info in files.items():
                with fs.open_input_stream(info.path) as source, (partial / name).open("wb") as target:
                    shutil.copyfileobj(source, target, CHUNK)
            partial.rename(place)
    return place

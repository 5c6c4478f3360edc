"""A file in an archive of 7-Zip, by the system's libarchive (the extra `7z`)."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import PurePosixPath
from types import ModuleType

from curation.core import storage
from curation.core.errors import InputError
from curation.core.installation import with_extras
from curation.sources.inflate import OnFault
from curation.sources.read_ahead import open_raw

MAGIC = b"7z\xbc\xaf\x27\x1c"


def is_seven_zip(path: str) -> bool:
    """By its first bytes. Raises InputError if there is no such file."""
    with closing(open_raw(path)) as raw:
        return raw.read(len(MAGIC)) == MAGIC


def libarchive_for(path: str, name: str) -> ModuleType:
    """The module that reads the file `name` in an archive. Raises InputError, with what to do, if it is not there."""
    try:
        import libarchive
    except (ImportError, OSError, AttributeError, TypeError) as error:  # the last three: without the system's library
        raise InputError(
            f"{path} is an archive of 7-Zip; unpack it (7z x), and give its {name}, or install libarchive, and run "
            f"{with_extras('7z')}"
        ) from error
    module: ModuleType = libarchive
    return module


def archived_bytes(path: str, name: str, on_fault: OnFault) -> Iterator[bytes]:
    """Those of the file `name` in an archive; damage ends it, and is reported. Raises InputError if it has none."""
    libarchive = libarchive_for(path, name)
    fs, inner = storage.resolve(path)
    try:
        with fs.open_input_file(inner) as file, libarchive.seekable_stream_reader(file) as archive:
            for entry in archive:
                if PurePosixPath(entry.pathname or "").name == name:
                    yield from map(bytes, entry.get_blocks())
                    return
    except libarchive.ArchiveError as error:
        on_fault(0, f"damaged archive: {error}")
        return
    raise InputError(f"{path} holds no {name}; leave it out of `paths`")

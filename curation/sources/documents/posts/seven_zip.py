"""A file in an archive of 7-Zip, by the system's libarchive (the extra `7z`)."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import PurePosixPath
from types import ModuleType

from curation.core import storage
from curation.core.errors import InputError
from curation.core.installation import with_extras
from curation.core.watchdog import advance
from curation.sources.documents.posts.seven_zip_header import check_header
from curation.sources.inflate import OnFault
from curation.sources.inflation import BOMB, Inflation
from curation.sources.read_ahead import open_raw

LOOKED = 256 << 20  # bytes of an archive's files that are passed over while names are looked for
MAX_NAMES = 100
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


def archived_names(path: str, last: str) -> list[str]:
    """The names of an archive's files up to `last`, without folders, as far as a look at `LOOKED` bytes goes. Raises
    InputError for an archive that cannot be read."""
    libarchive = libarchive_for(path, last)
    fs, inner = storage.resolve(path)
    names: list[str] = []
    passed = 0
    try:
        with fs.open_input_file(inner) as file:
            check_header(file)
            file.seek(0)
            with libarchive.seekable_stream_reader(file, "7zip", "none") as archive:
                for entry in archive:
                    names.append(PurePosixPath(_name(entry.pathname)).name)
                    passed += entry.size or 0  # which is unpacked before the next name is given
                    if names[-1] == last or passed > LOOKED or len(names) == MAX_NAMES:
                        break
    except (libarchive.ArchiveError, ValueError) as error:
        raise InputError(f"{path} is a damaged archive of 7-Zip: {error}; fetch it again") from error
    return names


def archived_bytes(path: str, name: str, on_fault: OnFault) -> Iterator[bytes]:
    """Those of the file `name` in an archive; damage ends it, and is reported, as are bytes beyond what a file may
    give. Raises InputError if it has none."""
    libarchive = libarchive_for(path, name)
    fs, inner = storage.resolve(path)
    try:
        with fs.open_input_file(inner) as file:
            check_header(file)
            file.seek(0)
            inflation = Inflation(file.size)
            # Of libarchive's formats no other: some name files to be read.
            with libarchive.seekable_stream_reader(file, "7zip", "none") as archive:
                for entry in archive:
                    if PurePosixPath(_name(entry.pathname)).name == name:
                        yield from _bounded(map(bytes, entry.get_blocks()), inflation)
                        return
                    if not inflation.add(entry.size or 0):  # what is passed over is unpacked too
                        raise ValueError(BOMB)
    except (libarchive.ArchiveError, ValueError) as error:
        on_fault(0, f"damaged archive: {error}")
        return
    raise InputError(f"{path} holds no {name}; leave it out of `paths`")


def _name(stated: str | bytes | None) -> str:
    return stated.decode(errors="replace") if isinstance(stated, bytes) else stated or ""


def _bounded(blocks: Iterator[bytes], inflation: Inflation) -> Iterator[bytes]:
    for block in blocks:
        advance()
        if not inflation.add(len(block)):
            raise ValueError(BOMB)
        yield block

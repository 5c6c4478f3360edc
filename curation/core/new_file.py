"""A new file that becomes visible in one step, complete, with its size and checksum known.

It is written beside its place on a local disk, or in a temporary file for an object store. Then it is published by a
link or an upload that fails if the file exists already. So a writer that was stopped and comes back after another has
done its work changes nothing: the published file stays, and the writer's content must equal it.
"""

import errno
import hashlib
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO

import pyarrow.fs as pafs
from typing_extensions import Buffer

from curation.core import storage
from curation.core.credentials import masked
from curation.core.full_disk import FULL
from curation.core.stores import upload

CHUNK = 16 << 20  # bytes read at a time
NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EXDEV, errno.EMLINK)


@dataclass(frozen=True)
class FileFacts:
    """A file's size in bytes and its BLAKE2b-256 in hex, as recorded in its commit."""

    bytes: int
    blake2b: str


class NewFile:
    """A binary file, written from start to end in a context. Leaving the context publishes it, an error discards it.

    Raises FileExistsError if another writer has published other content.
    """

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self.facts: FileFacts | None = None  # once it is published
        self._digest = hashlib.blake2b(digest_size=32)
        self._size = 0
        self._fs, self._path = storage.resolve(uri)
        self._in_store = not isinstance(self._fs, pafs.LocalFileSystem)
        self._beside = ""
        self._file: IO[bytes] = self._open()
        self.closed = False

    def _open(self) -> IO[bytes]:
        folder, name = (None, "winnow") if self._in_store else os.path.split(self._path)
        handle, self._beside = tempfile.mkstemp(prefix=f"_partial.{name}.", dir=folder)
        os.fchmod(handle, 0o666 & ~_umask())
        return os.fdopen(handle, "wb", buffering=1 << 16)  # a pack task writes up to 512 files at once

    def write(self, content: Buffer) -> int:
        written = memoryview(content).nbytes
        if self.closed:  # a writer of Parquet that is thrown away still adds its footer
            return written
        self._digest.update(content)
        try:
            self._file.write(content)
        except OSError as error:
            raise self._named(error) from error
        self._size += written
        return written

    def tell(self) -> int:
        return self._size

    def flush(self) -> None: ...

    def writable(self) -> bool:
        return True

    def readable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    def __enter__(self) -> "NewFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.publish()
        else:
            self.abandon()

    def close(self) -> None:
        """Called by writers of Parquet and Arrow after their last byte; `publish` follows."""

    def __del__(self) -> None:
        if not getattr(self, "closed", True):
            self.abandon()

    def publish(self) -> FileFacts:
        """Makes the file visible. Raises OSError that names the file, which the system's own does not."""
        self.facts = FileFacts(self._size, self._digest.hexdigest())
        storage.allow(self.uri)
        try:
            self._file.flush()
            if self._in_store:
                self._upload(self.facts)
            else:
                os.fsync(self._file.fileno())
                self._link(self.facts)
        except OSError as error:
            if error.errno is None or isinstance(error, FileExistsError):
                raise
            raise self._named(error) from error
        finally:
            self.abandon()
        return self.facts

    def _named(self, error: OSError) -> OSError:
        """The error with a file: the temporary one of a store if its disk is full, else the new one."""
        if error.errno is None:
            return error
        full = error.errno in FULL and self._in_store
        return OSError(error.errno, os.strerror(error.errno), self._beside if full else masked(self.uri))

    def abandon(self) -> None:
        """Deletes the unpublished file."""
        self.closed = True
        with suppress(OSError):  # a full disk fails once more when the rest of the buffer is written
            self._file.close()
        if self._beside:
            Path(self._beside).unlink(missing_ok=True)

    def _link(self, facts: FileFacts) -> None:
        try:
            os.link(self._beside, self._path)
        except FileExistsError:
            self._compare(facts)
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            if Path(self._path).exists():
                self._compare(facts)
            else:
                Path(self._beside).rename(self._path)

    def _upload(self, facts: FileFacts) -> None:
        try:
            upload(self._fs, self._beside, self._path)
        except OSError:  # also of an upload that was answered with an error after it had been done
            if storage.size(self.uri) < 0:
                raise
            self._compare(facts)

    def _compare(self, facts: FileFacts) -> None:
        """Another attempt at the same unit may have been faster; its bytes are the same, or something is wrong."""
        if storage.size(self.uri) != facts.bytes or checksum_of(self.uri) != facts.blake2b:
            raise FileExistsError(
                f"{masked(self.uri)} is there already with other content: another writer made it, or a component gives "
                "another result each time"
            )


def write_new(uri: str, content: Buffer) -> FileFacts:
    """Publishes a file with this content."""
    with NewFile(uri) as file:
        file.write(content)
    assert file.facts is not None, "it was just published"
    return file.facts


def checksum_of(uri: str) -> str:
    """BLAKE2b-256 in hex of a file, read piece by piece."""
    digest = hashlib.blake2b(digest_size=32)
    fs, path = storage.resolve(uri)
    with fs.open_input_stream(path, compression=None) as stream:
        while piece := stream.read(CHUNK):
            digest.update(piece)
    return digest.hexdigest()


def _umask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask

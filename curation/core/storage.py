"""Files by local path or by any URI that pyarrow or fsspec opens, through pyarrow's filesystem interface."""

import hashlib
import os
import posixpath
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

import pyarrow.fs as pafs

from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.core.stores import contents, open_store, replace


def resolve(uri: str) -> tuple[pafs.FileSystem, str]:
    """Filesystem and path within it (for http, the whole URL). A string without "://" is a local path, made absolute.
    Raises InputError for a string that is no path, and for a scheme that neither pyarrow nor fsspec opens."""
    if not uri.strip() or "\0" in uri:
        raise InputError(f"{uri!r} is no path; name a file or folder, or write . for the current folder")
    scheme, mark, rest = uri.partition("://")
    if not mark:
        return _filesystem("file"), str(Path(uri).absolute())
    if scheme == "file":
        return _filesystem("file"), rest
    bucket, slash, inside = rest.partition("/")
    path = uri if scheme in ("http", "https") else bucket.rpartition("@")[2] + slash + inside
    return _filesystem(scheme, bucket.rpartition("@")[0]), path


@lru_cache(maxsize=64)
def _filesystem(scheme: str, user: str = "") -> pafs.FileSystem:
    return pafs.LocalFileSystem() if scheme == "file" else open_store(scheme, user)


def forget_stores() -> None:
    """Makes the next request open its store again, with the current options."""
    _filesystem.cache_clear()


def in_store(uri: str) -> bool:
    return "://" in uri and not uri.startswith("file://")


_guards: dict[str, Callable[[], None]] = {}  # by the folder that they watch over


@contextmanager
def guarded(folder: str, guard: Callable[[], None]) -> Iterator[None]:
    """Calls `guard`, which may raise, before each change of a file in the folder by this process, in this context."""
    _guards[folder.rstrip("/") + "/"] = guard
    try:
        yield
    finally:
        del _guards[folder.rstrip("/") + "/"]


def allow(uri: str) -> None:
    """Calls the guards of the file's folders, which may raise."""
    for folder, guard in _guards.items():
        if f"{uri}/".startswith(folder):
            guard()


def absolute(uri: str) -> str:
    """A local path made absolute; a URI without a trailing "/"."""
    return uri.rstrip("/") if "://" in uri else resolve(uri)[1]


def real(uri: str) -> str:
    """A local path with links and ".." resolved; a URI without a trailing "/"."""
    return uri.rstrip("/") if "://" in uri else os.path.realpath(uri)


def join(base: str, *parts: str) -> str:
    return posixpath.join(base, *parts)


def exists(uri: str) -> bool:
    fs, path = resolve(uri)
    return bool(fs.get_file_info(path).type != pafs.FileType.NotFound)


def size(uri: str) -> int:
    """Bytes of a file, or -1 if there is none."""
    fs, path = resolve(uri)
    info = fs.get_file_info(path)
    return int(info.size) if info.type == pafs.FileType.File else -1


def make_folder(uri: str) -> None:
    fs, path = resolve(uri)
    try:
        fs.create_dir(path, recursive=True)
    except OSError as error:
        raise InputError(f"cannot make a folder at {uri}: {error}") from error


def delete_folder(uri: str) -> None:
    """Does nothing where there is none."""
    allow(uri)
    if exists(uri):
        fs, path = resolve(uri)
        fs.delete_dir(path)


def delete_file(uri: str) -> None:
    """Does nothing where there is none."""
    allow(uri)
    fs, path = resolve(uri)
    if in_store(uri) or exists(uri):
        with suppress(FileNotFoundError):
            fs.delete_file(path)


def read_bytes(uri: str) -> bytes:
    """Raises InputError if there is no such file."""
    return read_start(uri, None)


def read_start(uri: str, size: int | None) -> bytes:
    """The first `size` bytes of a file, or all for None. Raises InputError if there is no such file."""
    fs, path = resolve(uri)
    try:
        if size is None and in_store(uri):
            return contents(fs, path)
        with fs.open_input_stream(path, compression=None) as stream:
            return bytes(stream.read(size))
    except FileNotFoundError as error:
        raise InputError(f"no file at {uri}") from error
    except OSError as error:
        raise InputError(f"cannot read {uri}: {error}") from error


def sha256(uri: str) -> str:
    """SHA-256 (hex) of a file, which may be larger than memory. Raises InputError if there is no such file."""
    fs, path = resolve(uri)
    try:
        with fs.open_input_stream(path, compression=None) as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise InputError(f"no file at {uri}") from error
    except OSError as error:
        raise InputError(f"cannot read {uri}: {error}") from error


def write_bytes(uri: str, content: bytes) -> None:
    """Not atomic on a local disk: the content itself must show whether it is whole. An OSError names the file, which
    pyarrow's own does not if the disk is full."""
    allow(uri)
    fs, path = resolve(uri)
    try:
        if in_store(uri):
            return replace(fs, path, content)
        with fs.open_output_stream(path, compression=None) as stream:
            stream.write(content)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), masked(uri)) from error


def replace_bytes(uri: str, content: bytes) -> None:
    """Writes the file whole or not at all, even if the process dies."""
    if in_store(uri):
        return write_bytes(uri, content)
    beside = beside_of(uri)
    write_bytes(beside, content)
    move_file(beside, uri)


def beside_of(uri: str) -> str:
    """The path for a file that will be moved to `uri`: in the same folder, with a name that readers skip."""
    folder, _, name = uri.rpartition("/")
    return join(folder, f"_partial.{name}")


def move_file(source: str, target: str) -> None:
    """Replaces `target`: in one step on a local disk; in an object store by a copy, which is whole or absent."""
    allow(target)
    fs, path = resolve(source)
    fs.move(path, resolve(target)[1])


def list_names(uri: str) -> list[str]:
    """Sorted names of the files and folders directly in a folder; empty if it does not exist."""
    fs, path = resolve(uri)
    return sorted(info.base_name for info in listed(fs, path, recursive=False))


def list_sizes(uri: str) -> dict[str, int]:
    """Bytes of each file directly in a folder, by its name; empty where there is none."""
    fs, path = resolve(uri)
    files = (info for info in listed(fs, path, recursive=False) if info.type == pafs.FileType.File)
    return {info.base_name: info.size for info in sorted(files, key=lambda info: info.base_name)}


def listed(fs: pafs.FileSystem, folder: str, *, recursive: bool) -> list[pafs.FileInfo]:
    try:
        return list(fs.get_file_info(pafs.FileSelector(folder, recursive=recursive, allow_not_found=True)))
    except OSError as error:
        hint = "; check its permissions, and that the credentials have not expired"
        hint = hint if isinstance(error, PermissionError) and not isinstance(fs, pafs.LocalFileSystem) else ""
        raise InputError(f"cannot list {folder}: {error}{hint}") from error

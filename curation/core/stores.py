"""Object stores through fsspec, behind pyarrow's file-system interface.

Unlike pyarrow's file systems, fsspec's packages (s3fs, gcsfs, adlfs) can create a file on condition that none exists;
a run's lease, part files and checkpoints depend on that. The packages repeat failed requests. Added here are patience
with an object that was listed and is "not found" a moment later, and fewer requests than pyarrow's own adapter makes.
"""

import io
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from inspect import signature
from typing import Any, TypeVar
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.fs as pafs

from curation.core.errors import InputError, WinnowError

T = TypeVar("T")
ATTEMPTS = 3  # of one request by botocore; s3fs makes up to five such rounds
WAITS = (0.1, 0.3)  # seconds before a file that was not found is asked for again
STREAM = 8 << 20  # bytes of a request where a file is read from start to end
PACKAGES = {
    "s3": "s3fs",
    "s3a": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "az": "adlfs",
    "abfs": "adlfs",
    "abfss": "adlfs",
    "hf": "huggingface_hub",
}
READABLE = ("s3://", "gs://", "az://", "hf://", "https://", "commoncrawl:")  # named in messages
OWN = {"commoncrawl": "curation.sources.commoncrawl.crawl_files.CrawlFiles"}  # imported by fsspec where it is asked for
# Listings are never cached, because another process may change the folder.
DEFAULTS: Mapping[str, dict[str, Any]] = {
    "s3fs": {
        "use_listings_cache": False,
        "config_kwargs": {
            "retries": {"mode": "standard", "total_max_attempts": ATTEMPTS},
            "connect_timeout": 10,
            "read_timeout": 60,
        },
    },
    "gcsfs": {"use_listings_cache": False},
    "adlfs": {"use_listings_cache": False},
}


def open_store(scheme: str, user: str = "") -> pafs.FileSystem:
    """The file system of a URI's scheme, with the options of fsspec's configuration (see `storage_options`); `user` is
    the KEY:SECRET of an s3 URI that has one.

    Raises InputError where fsspec knows no such scheme or its package is not installed.
    """
    import fsspec  # slow to import and often not needed
    from fsspec.config import conf

    if scheme in OWN:
        fsspec.register_implementation(scheme, OWN[scheme])
    package = PACKAGES.get(scheme, "")
    for name, value in DEFAULTS.get(package, {}).items():  # in the configuration, where the user's own go before them
        conf.setdefault(scheme, {}).setdefault(name, value)
    options = {}
    if user and package == "s3fs":
        key, _, secret = user.partition(":")
        options = {"key": unquote(key), "secret": unquote(secret)}
    check_scheme(scheme)
    try:
        fs = fsspec.filesystem(scheme, **options)
    except Exception as error:  # a profile that is not there, credentials that cannot be read: each package has its own
        raise InputError(f"cannot open {scheme}:// paths: {' '.join(str(error).split())[:300]}") from error
    if scheme in ("http", "https"):
        return pafs.PyFileSystem(pafs.FSSpecHandler(fs))
    return pafs.PyFileSystem(StoreHandler(fs))


def check_scheme(scheme: str, *, here: bool = True) -> None:
    """Raises InputError for a scheme that fsspec does not know, whose package is not installed (unless the files are
    not opened `here`), or whose file system needs more than a path, such as the host of ftp."""
    import fsspec

    package = PACKAGES.get(scheme, "")
    try:
        kind = fsspec.get_filesystem_class(scheme)
    except ImportError as error:
        if not here:
            return
        missing = f"{package}, which is not installed here; run `pip install {package}`"
        raise InputError(f"{scheme}:// paths need {missing if package else f'another package: {error}'}") from error
    except ValueError as error:
        raise InputError(_unreadable(scheme)) from error
    options = [*signature(kind.__init__).parameters.values()][1:]
    needed = [one.name for one in options if one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD]
    if not {*needed} <= fsspec.config.conf.get(scheme, {}).keys():
        raise InputError(_unreadable(scheme))


def _unreadable(scheme: str) -> str:
    meant = "".join(f"; did you mean {name}?" for name in READABLE if name.startswith(f"{scheme.lower()}:"))
    return (
        f"winnow cannot read {scheme[:40]}:// paths{meant or '; give a local path, or one of ' + ', '.join(READABLE)}"
    )


def create(fs: pafs.FileSystem, path: str, content: bytes) -> None:
    """Writes a new object in one request. Raises FileExistsError where there is one with other content."""
    try:
        asked(lambda: fs.handler.fs.pipe_file(path, content, mode="create"))
    except OSError as error:  # also of a request that was answered with an error after it had been carried out
        try:
            there = contents(fs, path)
        except FileNotFoundError:
            raise error from None
        if there != content:
            raise FileExistsError(f"{path} is there already") from error


def upload(fs: pafs.FileSystem, local: str, path: str) -> None:
    """Copies a local file to a place where there is no object; raises an OSError where there may be one."""
    asked(lambda: fs.handler.fs.put_file(local, path, mode="create"))


def replace(fs: pafs.FileSystem, path: str, content: bytes) -> None:
    """Writes an object in one step: whole or not at all."""
    asked(lambda: fs.handler.fs.pipe_file(path, content))


def contents(fs: pafs.FileSystem, path: str) -> bytes:
    """All of an object. Raises FileNotFoundError where there is none."""
    return bytes(settled(lambda: fs.handler.fs.cat_file(path)))


def settled(request: Callable[[], T]) -> T:
    """The answer to a request for a file that should be there."""
    for wait in WAITS:
        try:
            return asked(request)
        except FileNotFoundError:
            time.sleep(wait)
    return asked(request)


def asked(request: Callable[[], T]) -> T:
    """The answer to a request; every failure of the store is an OSError that says what the store said."""
    try:
        return request()
    except (OSError, WinnowError):
        raise
    except KeyError as error:  # of fsspec's memory
        raise FileNotFoundError(str(error)) from error
    except Exception as error:  # botocore, google and azure each have errors of their own
        raise OSError(f"{type(error).__name__}: {error}") from error


class StoreHandler(pafs.FSSpecHandler):  # type: ignore[misc]
    """Reads ranges with one request each; folders are not made, because an object store has none."""

    def get_file_info(self, paths: list[str]) -> list[pafs.FileInfo]:
        return [self._info(path) for path in paths]

    def _info(self, path: str) -> pafs.FileInfo:
        for last in (False, True):
            try:
                return _file_info(asked(lambda: self.fs.info(path)), path)
            except FileNotFoundError:
                if not last:
                    time.sleep(WAITS[0])
        return pafs.FileInfo(path, pafs.FileType.NotFound)

    def get_file_info_selector(self, selector: pafs.FileSelector) -> list[pafs.FileInfo]:
        base = selector.base_dir.rstrip("/")
        try:
            if selector.recursive:
                infos = list(asked(lambda: self.fs.find(base, detail=True)).values())
            else:
                infos = asked(lambda: self.fs.ls(base, detail=True))
        except FileNotFoundError:
            if selector.allow_not_found:
                return []
            raise
        inside = (info for info in infos if info["name"].strip("/") != base.strip("/"))
        return [_file_info(info, info["name"]) for info in inside]

    def create_dir(self, path: str, recursive: bool) -> None: ...

    def delete_file(self, path: str) -> None:
        asked(lambda: self.fs.rm_file(path))

    def delete_dir(self, path: str) -> None:
        asked(lambda: self.fs.rm(path, recursive=True))

    def move(self, source: str, target: str) -> None:
        settled(lambda: self.fs.cp_file(source, target))
        asked(lambda: self.fs.rm_file(source))

    def open_input_stream(self, path: str) -> pa.NativeFile:
        return pa.PythonFile(io.BufferedReader(_Ranges(self.fs, path), STREAM), mode="r")

    def open_input_file(self, path: str) -> pa.NativeFile:
        return pa.PythonFile(_Ranges(self.fs, path), mode="r")


class _Ranges(io.RawIOBase):
    """An object as a file of which each read is one request."""

    def __init__(self, fs: Any, path: str) -> None:
        info = settled(lambda: fs.info(path))
        if info["type"] != "file":
            raise FileNotFoundError(path)
        self._fs = fs
        self._path = path
        self._size = int(info["size"])
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        end = self._size if size is None or size < 0 else min(self._at + size, self._size)
        if self._at >= end:
            return b""
        start = self._at
        content = bytes(settled(lambda: self._fs.cat_file(self._path, start=start, end=end)))
        if len(content) != end - start:
            raise OSError(f"{self._path} gave {len(content):,} of {end - start:,} bytes; it has changed or was cut off")
        self._at = end
        return content

    def readall(self) -> bytes:
        return self.read()

    def readinto(self, buffer: Any) -> int:
        content = self.read(memoryview(buffer).nbytes)
        memoryview(buffer).cast("B")[: len(content)] = content
        return len(content)


def _file_info(info: Mapping[str, Any], path: str) -> pafs.FileInfo:
    """The time is that of the last change, in whole seconds: listings and single answers round it differently."""
    if info["type"] == "directory":
        return pafs.FileInfo(path.rstrip("/"), pafs.FileType.Directory)
    changed = info.get("LastModified") or info.get("last_modified") or info.get("updated")
    if isinstance(changed, str):
        changed = datetime.fromisoformat(changed)
    seconds = {"mtime": int(changed.timestamp())} if isinstance(changed, datetime) else {}
    return pafs.FileInfo(path, pafs.FileType.File, size=info["size"], **seconds)

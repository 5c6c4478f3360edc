"""The files of a training run: on a local disk, or in an object store through fsspec.

A store is reached as the environment says: what its cloud's own tools read (AWS_PROFILE, AWS_ENDPOINT_URL,
GOOGLE_APPLICATION_CREDENTIALS …), and fsspec's FSSPEC_S3_… . Whatever goes wrong there is an OSError.
"""

import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
WAITS = (0.1, 0.3)  # seconds before a file that was listed and then not found is asked for again


class StorePath:
    """A path in a store, as far as it is used like a Path."""

    def __init__(self, uri: str) -> None:
        self.uri = uri.rstrip("/")

    def __truediv__(self, name: str) -> "StorePath":
        return StorePath(f"{self.uri}/{name}")

    def __str__(self) -> str:
        return self.uri

    def __fspath__(self) -> str:
        return self.uri

    @property
    def name(self) -> str:
        return self.uri.rpartition("/")[2]

    @property
    def parent(self) -> "StorePath":
        return StorePath(self.uri.rpartition("/")[0])

    def opened(self) -> tuple[Any, str]:
        """The store as a file system of fsspec, and the path in it. Raises ValueError if it cannot be opened."""
        import fsspec  # slow to import and often not needed

        scheme = self.uri.partition("://")[0]
        # Another process changes what listings show. The configuration also reaches torch's own writer.
        fsspec.config.conf.setdefault(scheme, {}).setdefault("use_listings_cache", False)
        try:
            fs, path = fsspec.core.url_to_fs(self.uri)
        except (ImportError, ValueError) as error:
            raise ValueError(f"cannot open {self}: {error}; install the fsspec package for {scheme}://") from error
        return fs, path

    def exists(self) -> bool:
        fs, path = self.opened()
        return bool(_asked(lambda: fs.exists(path)))

    def read_bytes(self) -> bytes:
        """Raises FileNotFoundError if there is none."""
        fs, path = self.opened()
        for wait in WAITS:
            with suppress(FileNotFoundError):
                return bytes(_asked(lambda: fs.cat_file(path)))
            time.sleep(wait)
        return bytes(_asked(lambda: fs.cat_file(path)))


Folder = Path | StorePath


def folder_at(path: str | os.PathLike[str]) -> Folder:
    """A local path made absolute, or one in a store."""
    uri = os.fspath(path)
    return StorePath(uri) if "://" in uri else Path(uri).absolute()


def names_in(folder: Folder) -> list[str]:
    """Sorted names of what lies directly in a folder; empty if it does not exist."""
    if isinstance(folder, Path):
        return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    fs, path = folder.opened()
    with suppress(FileNotFoundError):
        inside = _asked(lambda: fs.ls(path, detail=False))
        return sorted({name.rstrip("/").rpartition("/")[2] for name in inside if name.strip("/") != path.strip("/")})
    return []


def write_whole(file: Folder, content: bytes) -> None:
    """Whole or not at all."""
    if isinstance(file, Path):
        partial = file.with_name(f"{file.name}.partial-{os.getpid()}")
        partial.write_bytes(content)
        partial.replace(file)
        return
    fs, path = file.opened()
    _asked(lambda: fs.pipe_file(path, content))


def create_whole(file: StorePath, content: bytes) -> None:
    """Writes an object where there is none, in one request. Raises FileExistsError where there is another."""
    fs, path = file.opened()
    try:
        _asked(lambda: fs.pipe_file(path, content, mode="create"))
    except OSError as error:  # also of a request that was answered with an error after it had been carried out
        if not file.exists():
            raise
        if file.read_bytes() != content:
            raise FileExistsError(f"{file} is there already") from error


def make_folder(folder: Folder) -> None:
    """A store has no folders to make."""
    if isinstance(folder, Path):
        folder.mkdir(parents=True, exist_ok=True)


def remove_file(file: Folder) -> None:
    """Does nothing where there is none."""
    if isinstance(file, Path):
        return file.unlink(missing_ok=True)
    fs, path = file.opened()
    with suppress(FileNotFoundError):
        _asked(lambda: fs.rm_file(path))


def remove_folder(folder: Folder) -> None:
    """Does nothing where there is none."""
    if isinstance(folder, Path):
        return shutil.rmtree(folder, ignore_errors=True)
    fs, path = folder.opened()
    with suppress(FileNotFoundError):
        _asked(lambda: fs.rm(path, recursive=True))


def _asked(request: Callable[[], T]) -> T:
    try:
        return request()
    except OSError:
        raise
    except KeyError as error:  # of fsspec's memory
        raise FileNotFoundError(str(error)) from error
    except Exception as error:  # botocore, google and azure each have errors of their own
        raise OSError(f"{type(error).__name__}: {error}") from error

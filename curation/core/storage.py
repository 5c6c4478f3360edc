"""Files by local path or by a URI that pyarrow or fsspec opens (see `stores`), through pyarrow's interface."""

import hashlib
import os
import posixpath
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

import pyarrow.fs as pafs

from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.core.names import has_escape, name_text, system_name
from curation.core.odd_names import for_path, is_local, odd_names
from curation.core.stores import PACKAGES, contents, open_store, replace

MAX_TEXT = 10 << 20  # bytes of a recipe or config: the paths of all files of a crawl have 8 MiB
MAX_PATH = 1 << 16  # characters of a path or URI
_ON_HUB = re.compile(r"(?:(?:datasets|spaces|buckets)/|(?!(?:datasets|spaces|buckets)/))[^/]+/[^/]+(?:/.*)?")
ONE_SLASH = re.compile(rf"({'|'.join(PACKAGES)}):/(?!/)(.*)", re.DOTALL)  # a typing error, not a folder named "s3:"


def resolve(uri: str) -> tuple[pafs.FileSystem, str]:
    """Filesystem and path within it (for http, the whole URL). A string without "://" is a local path, made absolute;
    names that are not UTF-8 are written as `names` has them. Raises InputError for a string that is no path, for one
    that lies in no repository of the Hub, and for a scheme that neither pyarrow nor fsspec opens."""
    if not uri.strip() or "\0" in uri:
        raise InputError(f"{uri[:200]!r} is no path; name a file or folder, or write . for the current folder")
    if len(uri) > MAX_PATH:
        raise InputError(f"a path of {len(uri):,} characters, which begins {uri[:40]!r}; give a shorter one")
    scheme, mark, rest = uri.partition("://")
    if ONE_SLASH.match(uri) or (scheme in PACKAGES and mark and not rest.strip("/")):
        meant = f"give {scheme}://BUCKET/FOLDER" if mark else f"did you mean {uri.replace(':/', '://', 1)}?"
        raise InputError(f"{uri} names no bucket; {meant}")
    if not mark or scheme == "file":
        path = rest if mark else name_text(os.fspath(Path(system_name(uri)).absolute()))
        return _filesystem("odd" if has_escape(path) else "file"), path
    if scheme == "hf" and not _ON_HUB.fullmatch(rest):
        raise InputError(
            f"{masked(uri)} names no repository of Hugging Face's Hub; write hf://datasets/OWNER/NAME/PATH"
        )
    bucket, slash, inside = rest.partition("/")
    path = uri if scheme in ("http", "https") else bucket.rpartition("@")[2] + slash + inside
    return _filesystem(scheme, bucket.rpartition("@")[0]), path


@lru_cache(maxsize=64)
def _filesystem(scheme: str, user: str = "") -> pafs.FileSystem:
    if scheme == "odd":
        return odd_names()
    return pafs.LocalFileSystem() if scheme == "file" else open_store(scheme, user)


def forget_stores() -> None:
    """Makes the next request open its store again, with the current options."""
    _filesystem.cache_clear()


def in_store(uri: str) -> bool:
    return "://" in uri and not uri.startswith("file://")


def check_run_folder(uri: str) -> None:
    """Raises InputError for a place where no run can be kept: the web only answers, and on Hugging Face's Hub each file
    is a commit, and none can be made on condition that it is not there."""
    scheme = uri.partition("://")[0]
    if in_store(uri) and scheme in ("http", "https", "hf", "commoncrawl"):
        export = "; `winnow export RUN --format text --output hf://…` uploads a finished run's text" * (scheme == "hf")
        raise InputError(f"no run can be kept at {uri}; give a local folder, or one of s3://, gs:// or az://{export}")


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
    return uri.rstrip("/") if "://" in uri else name_text(os.path.realpath(system_name(uri)))


def local_path(uri: str) -> Path:
    """Where a local file is, for Python's own functions."""
    return Path(system_name(resolve(uri)[1]))


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


def missing_bucket(uri: str) -> str:
    """The name of the bucket of an s3:// URI if the store says that there is none; empty where it does not say so."""
    if uri.partition("://")[0] not in ("s3", "s3a"):
        return ""
    fs, path = resolve(uri)
    bucket = path.partition("/")[0]
    try:
        return bucket if fs.get_file_info(bucket).type == pafs.FileType.NotFound else ""
    except OSError:  # a key that opens a part of the bucket may not ask about all of it
        return ""


def make_folder(uri: str) -> None:
    fs, path = resolve(uri)
    if has_escape(path) and is_local(fs):
        raise InputError(f"{path} is not UTF-8, and nothing is written to such a folder; give another one")
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


def read_text(uri: str) -> str:
    """The text of a file that somebody wrote by hand. Raises InputError for more than MAX_TEXT, and other bytes."""
    content = read_start(uri, MAX_TEXT + 1)
    if len(content) > MAX_TEXT:
        raise InputError(f"{uri} has more than {MAX_TEXT >> 20} MiB; name many inputs by a pattern")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{uri} is not UTF-8 text: {error}") from error


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
    """Writes the file whole or not at all: if the process dies or the disk is full, the old file stays. What is no
    file, such as /dev/stdout, is written to, and of a link the file behind it is replaced."""
    path = Path(uri)
    if in_store(uri) or (path.exists() and not path.is_file()):
        return write_bytes(uri, content)
    target = real(uri) if path.is_symlink() else uri
    beside = beside_of(target)
    try:
        write_bytes(beside, content)
    except OSError as error:
        delete_file(beside)
        raise OSError(error.errno, error.strerror, masked(uri)) from error
    move_file(beside, target)


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
    selector = pafs.FileSelector(folder, recursive=recursive, allow_not_found=True)
    try:
        infos = list(for_path(fs, folder).get_file_info(selector))
        if not is_local(fs):
            return infos
        try:
            odd = any(has_escape(info.path) for info in infos)
        except UnicodeDecodeError:  # which pyarrow raises where it is asked for a name that is not UTF-8
            odd = True
        return list(odd_names().get_file_info(selector)) if odd else infos
    except OSError as error:
        hint = "; check its permissions, and that the credentials have not expired"
        hint = hint if isinstance(error, PermissionError) and not is_local(fs) else ""
        raise InputError(f"cannot list {folder}: {error}{hint}") from error

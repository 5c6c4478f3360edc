"""Files anywhere: local paths and every URI that pyarrow or fsspec opens, behind pyarrow's filesystem interface."""

import fnmatch
import hashlib
import os
import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs

from curation.core.credentials import masked
from curation.core.errors import InputError

_MAGIC = set("*?[")
SAMPLES, SAMPLE_BYTES = 16, 1 << 16  # of a local input file: what tells whether it has changed


@dataclass(frozen=True)
class InputFile:
    """One input file as listed: `stamp` changes with its content. It is a hash of samples of a local file, else the
    time of its modification in ns or, where the store has none, what fsspec knows the file by. `name` tells it from the
     source's other files; `modified` is the time in ns, 0 where the store has none."""

    path: str
    size: int
    stamp: int | str = 0
    name: str = ""
    modified: int = 0


def resolve(uri: str) -> tuple[pafs.FileSystem, str]:
    """Filesystem and path within it, which is a whole URL for http. A string without "://" is a local path, made
    absolute. Raises InputError for what cannot be a path, and for a scheme that neither pyarrow nor fsspec opens."""
    if not uri.strip() or "\0" in uri:
        raise InputError(f"{uri!r} is no path; name a file or folder, or write . for the folder that you are in")
    scheme, mark, rest = uri.partition("://")
    if not mark:
        return _filesystem("file", ""), str(Path(uri).absolute())
    if scheme == "file":
        return _filesystem("file", ""), rest
    bucket, slash, inside = rest.partition("/")
    path = uri if scheme in ("http", "https") else bucket.rpartition("@")[2] + slash + inside
    return _filesystem(scheme, bucket), path


@lru_cache(maxsize=64)
def _filesystem(scheme: str, host: str) -> pafs.FileSystem:
    if scheme == "file":
        return pafs.LocalFileSystem()
    try:
        return pafs.FileSystem.from_uri(f"{scheme}://{host}")[0]
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        pass
    except OSError as error:
        raise InputError(f"cannot reach {scheme}://{host}: {error}") from error
    import fsspec  # slow to import and seldom needed

    try:
        return pafs.PyFileSystem(pafs.FSSpecHandler(fsspec.filesystem(scheme)))
    except (ValueError, ImportError) as error:
        raise InputError(f"cannot open {scheme}:// paths: {error}; install the fsspec package for it") from error


def absolute(uri: str) -> str:
    """A local path made absolute, any other URI as it is."""
    return uri if "://" in uri else resolve(uri)[1]


def real(uri: str) -> str:
    """The canonical name of a local path, links and ".." resolved; any other URI as it is, without a trailing "/"."""
    return uri.rstrip("/") if "://" in uri else os.path.realpath(uri)


def join(base: str, *parts: str) -> str:
    return posixpath.join(base, *parts)


def exists(uri: str) -> bool:
    fs, path = resolve(uri)
    return bool(fs.get_file_info(path).type != pafs.FileType.NotFound)


def size(uri: str) -> int:
    """Bytes, or -1 where there is no such file."""
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
    if exists(uri):
        fs, path = resolve(uri)
        fs.delete_dir(path)


def delete_file(uri: str) -> None:
    """Does nothing where there is none."""
    if exists(uri):
        fs, path = resolve(uri)
        fs.delete_file(path)


def read_bytes(uri: str) -> bytes:
    """Raises InputError where there is no such file."""
    return read_start(uri, None)


def read_start(uri: str, size: int | None) -> bytes:
    """The first bytes of a file, at most `size` where that is given. Raises InputError where there is none."""
    fs, path = resolve(uri)
    try:
        with fs.open_input_stream(path, compression=None) as stream:
            return bytes(stream.read(size))
    except FileNotFoundError as error:
        raise InputError(f"no file at {uri}") from error
    except OSError as error:
        raise InputError(f"cannot read {uri}: {error}") from error


def write_bytes(uri: str, content: bytes) -> None:
    """Not atomic on a local disk: the content itself must show whether it is whole. An OSError names the file, which
    pyarrow's own does not when the disk is full."""
    fs, path = resolve(uri)
    try:
        with fs.open_output_stream(path, compression=None) as stream:
            stream.write(content)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), masked(uri)) from error


def replace_bytes(uri: str, content: bytes) -> None:
    """Whole or not at all, even if the process dies on the way."""
    beside = beside_of(uri)
    write_bytes(beside, content)
    move_file(beside, uri)


def beside_of(uri: str) -> str:
    """Where to write what is then moved to `uri`: in the same folder, under a name that readers skip."""
    folder, _, name = uri.rpartition("/")
    return join(folder, f"_partial.{name}")


def move_file(source: str, target: str) -> None:
    """Replaces what is at `target`: on a local disk in one step, in an object store by a copy, which is either whole or
    absent."""
    fs, path = resolve(source)
    fs.move(path, resolve(target)[1])


def list_names(uri: str) -> list[str]:
    """Sorted names of the files and folders directly in a folder; empty where there is none."""
    fs, path = resolve(uri)
    return sorted(info.base_name for info in _listed(fs, path, recursive=False))


def list_sizes(uri: str) -> dict[str, int]:
    """Bytes of each file directly in a folder, by its name; empty where there is none."""
    fs, path = resolve(uri)
    files = (info for info in _listed(fs, path, recursive=False) if info.type == pafs.FileType.File)
    return {info.base_name: info.size for info in sorted(files, key=lambda info: info.base_name)}


def list_files(pattern: str) -> list[InputFile]:
    """Files that match a path, folder or glob (`**` crosses folders), in sorted order.

    Names beginning with "." or "_" are skipped in folders and globs. Raises InputError where nothing matches.
    """
    fs, path = resolve(pattern)
    prefix = pattern[: len(pattern) - len(path)] if "://" in pattern else ""
    info = fs.get_file_info(path)
    if info.type == pafs.FileType.File:
        matching = [info]
    elif info.type == pafs.FileType.Directory:
        matching = _visible(fs, path)
    elif _MAGIC & set(path):
        matching = _expand(fs, path)
    else:
        matching = []
    if not matching:
        raise InputError(f"no input matches {pattern}; check the path or quote the glob")
    files = (InputFile(prefix + info.path, info.size, _stamp(fs, info), "", info.mtime_ns or 0) for info in matching)
    return sorted(files, key=lambda file: file.path)


def unchanged(uri: str, size: int, stamp: int | str, modified: int) -> bool:
    """Whether a file is as it was listed. A local one whose time alone is another is read in samples."""
    fs, path = resolve(uri)
    info = fs.get_file_info(path)
    if info.type != pafs.FileType.File:
        raise InputError(f"no file at {uri}; check `paths`")
    if info.size != size or (modified and info.mtime_ns == modified):
        return bool(info.size == size)
    return _stamp(fs, info) == stamp


def _stamp(fs: pafs.FileSystem, info: pafs.FileInfo) -> int | str:
    if isinstance(fs, pafs.LocalFileSystem):
        return _sampled(info.path, info.size)
    if info.mtime_ns is not None:
        return int(info.mtime_ns)
    return str(fs.handler.fs.ukey(masked(info.path))) if isinstance(fs, pafs.PyFileSystem) else 0


def _sampled(path: str, size: int) -> str:
    """A hash of up to SAMPLES pieces spread evenly over a file, its beginning and its end among them."""
    digest = hashlib.blake2b(digest_size=16)
    starts: Sequence[int] = range(0, size, SAMPLE_BYTES)
    if len(starts) > SAMPLES:
        starts = [(size - SAMPLE_BYTES) * number // (SAMPLES - 1) for number in range(SAMPLES)]
    try:
        with Path(path).open("rb", buffering=0) as file:
            for start in starts:
                file.seek(start)
                digest.update(file.read(SAMPLE_BYTES))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    return digest.hexdigest()


def _visible(fs: pafs.FileSystem, folder: str) -> list[pafs.FileInfo]:
    infos = _listed(fs, folder, recursive=True)
    inside = folder.strip("/")  # some fsspec filesystems give paths with a leading slash that was not asked for
    files = [i for i in infos if i.type == pafs.FileType.File and not _hidden(i.path.lstrip("/").removeprefix(inside))]
    if not isinstance(fs, pafs.LocalFileSystem):
        return files
    # A link to a folder above itself would lead to the same files without end.
    longest_first = sorted(files, key=lambda info: info.path, reverse=True)
    return list({(Path(info.path).parent.resolve(), info.base_name): info for info in longest_first}.values())


def _listed(fs: pafs.FileSystem, folder: str, *, recursive: bool) -> list[pafs.FileInfo]:
    try:
        return list(fs.get_file_info(pafs.FileSelector(folder, recursive=recursive, allow_not_found=True)))
    except OSError as error:
        raise InputError(f"cannot list {folder}: {error}") from error


def _hidden(path: str) -> bool:
    return any(part.startswith((".", "_")) for part in path.split("/") if part)


def _expand(fs: pafs.FileSystem, pattern: str) -> list[pafs.FileInfo]:
    """Files that match a glob; no folder is listed that its parts do not ask for."""
    parts = pattern.split("/")
    magic = next(i for i, part in enumerate(parts) if _MAGIC & set(part))
    folder = "/".join(parts[:magic]) or "/"
    if parts[magic] == "**":
        return [info for info in _visible(fs, folder) if _matches(info.path, pattern)]
    here = [info for info in _listed(fs, folder, recursive=False) if not _hidden(info.base_name)]
    matching = [info for info in here if fnmatch.fnmatchcase(info.base_name, parts[magic])]
    if magic == len(parts) - 1:
        return [info for info in matching if info.type == pafs.FileType.File]
    folders = [info.path for info in matching if info.type == pafs.FileType.Directory]
    below = [posixpath.join(path, *parts[magic + 1 :]) for path in folders]
    return [file for path in below for file in _at(fs, path)]


def _at(fs: pafs.FileSystem, path: str) -> list[pafs.FileInfo]:
    if _MAGIC & set(path):
        return _expand(fs, path)
    info = fs.get_file_info(path)
    return [info] if info.type == pafs.FileType.File else []


def _matches(path: str, pattern: str) -> bool:
    return _match_parts(path.lstrip("/").split("/"), pattern.lstrip("/").split("/"))


def _match_parts(path: list[str], pattern: list[str]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_match_parts(path[skip:], pattern[1:]) for skip in range(len(path) + 1))
    return bool(path) and fnmatch.fnmatchcase(path[0], pattern[0]) and _match_parts(path[1:], pattern[1:])

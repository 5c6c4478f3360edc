"""Input files as a plan lists them, and whether they are still what was listed."""

import fnmatch
import hashlib
import posixpath
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pyarrow.fs as pafs

from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.core.names import name_text, system_name
from curation.core.odd_names import for_path, is_local
from curation.core.storage import in_store, listed, missing_bucket, resolve

Fits: TypeAlias = Callable[[str, str], bool]  # (name, part of a glob)

_MAGIC = set("*?[")
# of a local input file: what tells whether it has changed
SAMPLES = 16
SAMPLE_BYTES = 1 << 16


@dataclass(frozen=True)
class InputFile:
    """One input file as listed. `stamp` changes with its content: a hash of samples of a local file; in a store, the
    time of its modification in ns or, if the store has none, fsspec's key of the file. `name` is unique in the source;
    `modified` is the time in ns, 0 if the store has none."""

    path: str
    size: int
    stamp: int | str = 0
    name: str = ""
    modified: int = 0


def list_files(pattern: str) -> list[InputFile]:
    """Files that match a path, folder or glob (`**` crosses folders), in sorted order.

    Names beginning with "." or "_" are skipped in folders, and in globs unless a part of the glob begins so too: see
    `hidden_files`. Raises InputError if nothing matches.
    """
    fs, path = resolve(pattern)
    prefix = pattern[: len(pattern) - len(path)] if "://" in pattern else ""
    info = _info(pattern)
    if info.type == pafs.FileType.File:
        matching = [info]
    elif info.type == pafs.FileType.Directory:
        matching = [file for file in _files_in(fs, path) if not _hidden(_within(path, file.path))]
    elif _MAGIC & set(path):
        matching = _expand(fs, path, _fits)
    else:
        matching = []
    if not matching:
        if bucket := missing_bucket(pattern):
            raise InputError(f"no input matches {pattern}: the store has no bucket {bucket}; correct its name")
        beside = "" if "://" in pattern or Path(pattern).is_absolute() else f" in {name_text(str(Path.cwd()))}"
        raise InputError(f"no input matches {pattern}{beside}; put files there, or correct the path or glob")
    files = (InputFile(prefix + info.path, info.size, _stamp(fs, info), "", info.mtime_ns or 0) for info in matching)
    return sorted(files, key=lambda file: file.path)


def _info(pattern: str) -> pafs.FileInfo:
    """Raises InputError, which says where, for a store that is out of reach or refuses."""
    fs, path = resolve(pattern)
    try:
        return fs.get_file_info(path)
    except OSError as error:
        if not in_store(pattern):
            raise
        hint = "check the network, the endpoint and the credentials"
        raise InputError(f"cannot list {pattern}: {' '.join(str(error).split())}; {hint}") from error


def hidden_files(pattern: str) -> list[str]:
    """Files that a folder or glob passes over because their names begin with "." or "_", in order."""
    fs, path = resolve(pattern)
    info = fs.get_file_info(path)
    if info.type == pafs.FileType.Directory:
        return sorted(file.path for file in _files_in(fs, path) if _hidden(_within(path, file.path)))
    if info.type == pafs.FileType.File or not _MAGIC & set(path):
        return []
    named = {file.path for file in _expand(fs, path, _fits)}
    return sorted({file.path for file in _expand(fs, path, fnmatch.fnmatchcase)} - named)


def unchanged(uri: str, size: int, stamp: int | str, modified: int) -> bool:
    """Whether a file is as it was listed. If only the time of a local file differs, its samples decide."""
    fs, path = resolve(uri)
    info = fs.get_file_info(path)
    if info.type != pafs.FileType.File:
        raise InputError(f"no file at {uri}; check `paths`")
    if info.size != size or (modified and info.mtime_ns == modified):
        return bool(info.size == size)
    return _stamp(fs, info) == stamp


def _stamp(fs: pafs.FileSystem, info: pafs.FileInfo) -> int | str:
    if is_local(fs):
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
        with Path(system_name(path)).open("rb", buffering=0) as file:
            for start in starts:
                file.seek(start)
                digest.update(file.read(SAMPLE_BYTES))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    return digest.hexdigest()


def _files_in(fs: pafs.FileSystem, folder: str) -> list[pafs.FileInfo]:
    files = [info for info in listed(fs, folder, recursive=True) if info.type == pafs.FileType.File]
    if not is_local(fs):
        return files
    # A link to a folder above itself would list the same files again and again.
    longest_first = sorted(files, key=lambda info: info.path, reverse=True)
    places = ((Path(system_name(info.path)), info) for info in longest_first)
    return list({(path.parent.resolve(), path.name): info for path, info in places}.values())


def _within(folder: str, path: str) -> str:
    """The path below the folder; some fsspec filesystems add a leading slash to it."""
    return path.lstrip("/").removeprefix(folder.strip("/"))


def _hidden(path: str) -> bool:
    return any(part.startswith((".", "_")) for part in path.split("/") if part)


def _fits(name: str, pattern: str) -> bool:
    """Whether a name matches a part of a glob, which must begin as it does if that hides it."""
    return fnmatch.fnmatchcase(name, pattern) and (not _hidden(name) or name[0] == pattern[0])


def _expand(fs: pafs.FileSystem, pattern: str, fits: Fits) -> list[pafs.FileInfo]:
    """Files that match a glob. Only folders that its parts match are listed."""
    parts = pattern.split("/")
    magic = next(i for i, part in enumerate(parts) if _MAGIC & set(part))
    folder = "/".join(parts[:magic]) or "/"
    if parts[magic] == "**":
        return [info for info in _files_in(fs, folder) if _matches(_within(folder, info.path), parts[magic:], fits)]
    matching = [info for info in listed(fs, folder, recursive=False) if fits(info.base_name, parts[magic])]
    if magic == len(parts) - 1:
        return [info for info in matching if info.type == pafs.FileType.File]
    folders = [info.path for info in matching if info.type == pafs.FileType.Directory]
    below = [posixpath.join(path, *parts[magic + 1 :]) for path in folders]
    return [file for path in below for file in _at(fs, path, fits)]


def _at(fs: pafs.FileSystem, path: str, fits: Fits) -> list[pafs.FileInfo]:
    if _MAGIC & set(path):
        return _expand(fs, path, fits)
    info = for_path(fs, path).get_file_info(path)
    return [info] if info.type == pafs.FileType.File else []


def _matches(path: str, pattern: list[str], fits: Fits) -> bool:
    return _match_parts(path.lstrip("/").split("/"), pattern, fits)


def _match_parts(path: list[str], pattern: list[str], fits: Fits) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        crossed = next((i for i, part in enumerate(path) if not fits(part, "*")), len(path))
        return any(_match_parts(path[skip:], pattern[1:], fits) for skip in range(crossed + 1))
    return bool(path) and fits(path[0], pattern[0]) and _match_parts(path[1:], pattern[1:], fits)

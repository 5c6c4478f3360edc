"""Local files whose names are not UTF-8, which pyarrow's own file system cannot list: their paths are the texts of
`names`. They can be read and listed, and nothing is written under such a name."""

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.fs as pafs

from curation.core.names import has_escape, name_text, system_name


class OddNames(pafs.FileSystemHandler):  # type: ignore[misc]
    """Reads and lists local files by the texts of their names."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OddNames)

    __hash__ = object.__hash__

    def get_type_name(self) -> str:
        return "odd-names"

    def normalize_path(self, path: str) -> str:
        return path

    def get_file_info(self, paths: list[str]) -> list[pafs.FileInfo]:
        return [_info(path) for path in paths]

    def get_file_info_selector(self, selector: pafs.FileSelector) -> list[pafs.FileInfo]:
        try:
            return list(_below(selector.base_dir, recursive=selector.recursive))
        except FileNotFoundError:
            if selector.allow_not_found:
                return []
            raise

    def open_input_stream(self, path: str) -> pa.NativeFile:
        return self.open_input_file(path)

    def open_input_file(self, path: str) -> pa.NativeFile:
        return pa.PythonFile(open(system_name(path), "rb"), mode="r")  # noqa: PTH123  # pyarrow closes it

    def _refuse(self, *_: Any) -> NoReturn:
        raise OSError("nothing is written to a path that is not UTF-8; give another one")

    create_dir = delete_dir = delete_dir_contents = delete_root_dir_contents = delete_file = move = copy_file = _refuse
    open_output_stream = open_append_stream = _refuse


def is_local(fs: pafs.FileSystem) -> bool:
    """Whether files are this machine's."""
    return isinstance(fs, pafs.LocalFileSystem) or (
        isinstance(fs, pafs.PyFileSystem) and isinstance(fs.handler, OddNames)
    )


def odd_names() -> pafs.FileSystem:
    """The file system of such files."""
    return pafs.PyFileSystem(OddNames())


def for_path(fs: pafs.FileSystem, path: str) -> pafs.FileSystem:
    """The file system itself, or this one where a local path needs it."""
    return odd_names() if is_local(fs) and has_escape(path) else fs


def _info(path: str) -> pafs.FileInfo:
    try:
        found = os.stat(system_name(path))  # noqa: PTH116
    except (FileNotFoundError, NotADirectoryError):
        return pafs.FileInfo(path, pafs.FileType.NotFound)
    return _of(path, found)


def _of(path: str, found: os.stat_result) -> pafs.FileInfo:
    kind = found.st_mode & 0o170000
    if kind == 0o100000:
        return pafs.FileInfo(path, pafs.FileType.File, size=found.st_size, mtime_ns=found.st_mtime_ns)
    kinds = pafs.FileType.Directory if kind == 0o040000 else pafs.FileType.Unknown
    return pafs.FileInfo(path, kinds, mtime_ns=found.st_mtime_ns)


def _below(folder: str, *, recursive: bool, above: frozenset[tuple[int, int]] = frozenset()) -> Iterator[pafs.FileInfo]:
    """Lists what lies in a folder, and below it; links that lead nowhere, or to a folder `above`, are left out."""
    with os.scandir(system_name(folder)) as entries:
        listed = [(f"{folder.rstrip('/')}/{name_text(entry.name)}", entry) for entry in entries]
    for path, entry in listed:
        with suppress(FileNotFoundError):
            found = entry.stat()
            info = _of(path, found)
            place = (found.st_dev, found.st_ino)
            yield info
            if recursive and info.type == pafs.FileType.Directory and place not in above:
                yield from _below(path, recursive=True, above=above | {place})

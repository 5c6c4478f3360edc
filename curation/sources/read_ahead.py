"""Reads a file once from its beginning, and keeps the part of it that may still be needed."""

from typing import IO

import pyarrow as pa

from curation.core import storage
from curation.core.errors import InputError, StageError
from curation.core.stores import STREAM
from curation.core.watchdog import advance

BLOCK = 1 << 20  # bytes read at a time


class Raw:
    """A file's bytes, forward only. A failing disk or network stops the stage; it is not damage in the archive."""

    def __init__(self, path: str, stream: IO[bytes] | pa.NativeFile) -> None:
        self.path = path
        self.stream = stream

    def read(self, size: int = -1) -> bytes:
        try:
            content = bytes(self.stream.read(size))
        except OSError as error:
            raise StageError(f"cannot read {self.path}: {error}") from error
        if content:
            advance()
        return content

    def close(self) -> None:
        self.stream.close()


def open_raw(path: str, start: int = 0) -> Raw:
    """A file from byte `start` on. Raises InputError if there is no such file."""
    fs, inner = storage.resolve(path)
    try:
        stream = fs.open_input_file(inner) if start else fs.open_input_stream(inner, compression=None)
    except FileNotFoundError as error:
        raise InputError(f"no file at {path}; check `paths`") from error
    if start:
        stream.seek(start)
        if storage.in_store(path):  # where each read is a request
            stream = pa.BufferedInputStream(stream, STREAM)
    return Raw(path, stream)


class Window:
    """The part of a forward-only stream that may still be needed, addressed by offset in the file."""

    def __init__(self, raw: Raw) -> None:
        self._raw = raw
        self._data = b""
        self._base = 0
        self._keep = 0

    def at(self, offset: int, size: int) -> bytes:
        """Up to `size` bytes from `offset`; fewer only at the end of the file."""
        while offset + size > self._base + len(self._data):
            more = self._raw.read(max(BLOCK, offset + size - self._base - len(self._data)))
            if not more:
                break
            self._data = self._data[self._keep - self._base :] + more
            self._base = self._keep
        return self._data[offset - self._base : offset - self._base + size]

    def bytes_read(self) -> int:
        """How many bytes of the file have been read."""
        return self._base + len(self._data)

    def forget(self, offset: int) -> None:
        """Bytes before `offset` are no longer needed; a smaller offset than before changes nothing."""
        self._keep = max(self._keep, offset)

    def first(self, offset: int) -> int:
        """The first offset from `offset` on that is not forgotten."""
        return max(self._keep, offset)

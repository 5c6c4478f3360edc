"""The texts in a tar archive, and in archives within it, as OpenWebText has them: a tar of tars that xz compressed.

Everything is read as a stream, in order, and nothing is written: names that lead elsewhere do no harm, and links are
passed over. Damage ends the archive in which it is, and is noted; what comes after it in the outer one is read.
"""

import io
import tarfile
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import IO, NamedTuple

from curation.core.protocols import ReadTally
from curation.sources.inflate import InflatedBytes, container, spans
from curation.sources.read_ahead import Raw, Window, open_raw

MAX_DEPTH = 3  # archives within archives
TAR_MARK = b"ustar"
MAX_SHARED = 100  # attributes that an archive states for all its members
TAR_DAMAGE = (tarfile.TarError, EOFError, ValueError, OverflowError, RecursionError)  # by which it shows
MAX_HEAD = 1 << 20  # bytes of a member's name or attributes
_HEADS = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
_AT = 257  # where a tar archive has its mark


class TarText(NamedTuple):
    """A file in an archive: its name, with those of the archives around it, and its bytes; None if these are many."""

    name: str
    content: bytes | None


class BoundedTarInfo(tarfile.TarInfo):
    """A member whose name and attributes are refused where they are of more than `MAX_HEAD` bytes, or too many, since
    all would be held in memory."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        if self.size < 0 or (self.type in _HEADS and self.size > MAX_HEAD):
            raise tarfile.ReadError(f"a head of {self.size:,} bytes")
        if len(archive.pax_headers) > MAX_SHARED:
            raise tarfile.ReadError(f"more than {MAX_SHARED} attributes of all members")
        return super()._proc_member(archive)  # type: ignore[misc,no-any-return]  # which subclasses may override


class _SpanBytes(io.RawIOBase):
    """Decompressed bytes as a file. It ends where bytes are missing, since nothing after that can be told apart."""

    def __init__(self, inflated: Iterator[InflatedBytes]) -> None:
        self._inflated = inflated
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        size = 0
        while size < len(buffer):
            if not self._left:
                span = next(self._inflated, None)
                if span is None or span.gap:
                    self._inflated = iter(())
                    break
                self._left = memoryview(span.data)
            taken = min(len(buffer) - size, len(self._left))
            buffer[size : size + taken] = self._left[:taken]
            self._left = self._left[taken:]
            size += taken
        return size


def is_tar(start: bytes) -> bool:
    """Whether bytes are the beginning of a tar archive."""
    return start[_AT : _AT + len(TAR_MARK)] == TAR_MARK


def tar_texts(path: str, tally: ReadTally, most: int, *, alone: bool = False) -> Iterator[TarText]:
    """The files of an archive, in order; one of more than `most` bytes is not held. `alone`: what is no archive is one
    such file, without a name. Raises InputError if there is none at `path`."""
    with closing(open_raw(path)) as raw:
        stream = unpacked(raw, path, tally)
        if is_tar(stream.peek(1)):
            yield from _members(stream, "", path, tally, partial(_texts, path, tally, most, MAX_DEPTH))
        elif alone:
            content = stream.read(most + 1)
            yield TarText("", content if len(content) <= most else None)
        elif stream.peek(1):
            tally.fault(path, 0, "no tar archive begins here")


def tar_lines(path: str, tally: ReadTally, most: int) -> Iterator[TarText]:
    """The lines of an archive's files, in order, or those of a file that is no archive, which has no name; one of more
    than `most` bytes is not held. Raises InputError if there is none at `path`."""
    with closing(open_raw(path)) as raw:
        stream = unpacked(raw, path, tally)
        if is_tar(stream.peek(1)):
            yield from _members(stream, "", path, tally, partial(_lines, most))
        else:
            yield from _lines(most, stream, "")


def unpacked(raw: Raw, path: str, tally: ReadTally) -> io.BufferedReader:
    """A file's bytes, decompressed where they are compressed; damage is noted for `path`."""
    window = Window(raw)
    return io.BufferedReader(_SpanBytes(spans(window, container(window), partial(tally.fault, path))), 1 << 16)


def _members(
    stream: IO[bytes], within: str, path: str, tally: ReadTally, read: Callable[[IO[bytes], str], Iterator[TarText]]
) -> Iterator[TarText]:
    try:
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=BoundedTarInfo) as archive:
            for member in archive:
                if member.isdir():
                    continue
                file = archive.extractfile(member) if member.isfile() else None
                if file is None:
                    tally.records["skipped.not_a_file"] += 1
                    continue
                yield from read(file, within + member.name)
                archive.members = []  # type: ignore[attr-defined]  # which it would keep
    except TAR_DAMAGE as error:
        tally.fault(path, 0, f"damaged tar archive {within or path}: {error}")


def _texts(path: str, tally: ReadTally, most: int, depth: int, file: IO[bytes], name: str) -> Iterator[TarText]:
    stream = unpacked(Raw(path, file), f"{path}#{name}", tally)
    if is_tar(stream.peek(1)):
        if depth == 1:
            tally.records["skipped.nested_archive"] += 1
            return
        yield from _members(stream, f"{name}#", path, tally, partial(_texts, path, tally, most, depth - 1))
        return
    content = stream.read(most + 1)
    yield TarText(name, content if len(content) <= most else None)


def _lines(most: int, file: IO[bytes], name: str) -> Iterator[TarText]:
    while line := file.readline(most + 1):
        if len(line) <= most:
            yield TarText(name, line)
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(most)
        yield TarText(name, None)

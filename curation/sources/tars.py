"""The texts in a tar archive, and in archives within it, as OpenWebText has them: a tar of tars that xz compressed.

Everything is read as a stream, in order, and nothing is written: names that lead elsewhere do no harm, and links are
passed over. Damage ends the archive in which it is, and is noted; what comes after it in the outer one is read.
"""

import io
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import IO, NamedTuple

from curation.core.protocols import ReadTally
from curation.sources.inflate import InflatedBytes, container, spans
from curation.sources.inflation import Inflation
from curation.sources.read_ahead import BLOCK, Raw, Window, open_raw
from curation.sources.tar_members import TarDamageError, TarMember, TarMembers, is_tar

MAX_DEPTH = 3  # archives within archives


class TarText(NamedTuple):
    """A file in an archive: its name, with those of the archives around it, and its bytes; None if these are many."""

    name: str
    content: bytes | None


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


def tar_texts(path: str, tally: ReadTally, most: int, *, alone: bool = False) -> Iterator[TarText]:
    """The files of an archive, in order; one of more than `most` bytes is not held. `alone`: what is no archive is one
    such file, without a name. Raises InputError if there is none at `path`."""
    with closing(open_raw(path)) as raw:
        archive = _Archive(path, tally, most, Inflation.of(window := Window(raw)))
        stream = _inflated(window, path, tally, archive.inflation)
        if is_tar(stream.peek(1)):
            yield from archive.members(stream, "", partial(archive.texts, MAX_DEPTH))
        elif alone:
            content = stream.read(most + 1)
            yield TarText("", content if len(content) <= most else None)
        elif stream.peek(1):
            tally.fault(path, 0, "no tar archive begins here")


def tar_lines(path: str, tally: ReadTally, most: int) -> Iterator[TarText]:
    """The lines of an archive's files, in order, or those of a file that is no archive, which has no name; one of more
    than `most` bytes is not held. Raises InputError if there is none at `path`."""
    with closing(open_raw(path)) as raw:
        archive = _Archive(path, tally, most, Inflation.of(window := Window(raw)))
        stream = _inflated(window, path, tally, archive.inflation)
        if is_tar(stream.peek(1)):
            yield from archive.members(stream, "", archive.lines)
        else:
            yield from archive.lines(stream, "")


def unpacked(raw: Raw, path: str, tally: ReadTally) -> io.BufferedReader:
    """A file's bytes, decompressed where they are compressed; damage is noted for `path`."""
    window = Window(raw)
    return _inflated(window, path, tally, Inflation.of(window))


def _inflated(window: Window, path: str, tally: ReadTally, inflation: Inflation) -> io.BufferedReader:
    inflated = spans(window, container(window), partial(tally.fault, path), inflation=inflation)
    return io.BufferedReader(_SpanBytes(inflated), 1 << 16)


def wanted_members(archive: TarMembers, tally: ReadTally) -> Iterator[TarMember]:
    """The files and links of an archive, and what else it has but folders; a file that is passed over whatever it holds
    is counted (`skipped.sparse`, `skipped.long_name`)."""
    for member in archive:
        if member.kind in ("sparse", "long_name"):
            tally.records[f"skipped.{member.kind}"] += 1
        elif member.kind != "folder":
            yield member


class _Archive(NamedTuple):
    """How an archive and those within it are read."""

    path: str
    tally: ReadTally
    most: int
    inflation: Inflation  # of the file, at all depths

    def members(
        self, stream: IO[bytes], within: str, read: Callable[[IO[bytes], str], Iterator[TarText]]
    ) -> Iterator[TarText]:
        """What is read of each file of an archive; `within` begins their names."""
        archive = TarMembers(stream)
        try:
            for member in wanted_members(archive, self.tally):
                if member.kind == "file":
                    yield from read(io.BufferedReader(archive.content), within + member.name)
                else:
                    self.tally.records["skipped.not_a_file"] += 1
                if self.inflation.over:
                    return
        except TarDamageError as error:
            self.tally.fault(self.path, 0, f"damaged tar archive {within or self.path}: {error}")

    def texts(self, depth: int, file: IO[bytes], name: str) -> Iterator[TarText]:
        """A file, or those of the archive that it is."""
        stream = _inflated(Window(Raw(self.path, file)), f"{self.path}#{name}", self.tally, self.inflation)
        if is_tar(stream.peek(1)):
            if depth == 1:
                self.tally.records["skipped.nested_archive"] += 1
                return
            yield from self.members(stream, f"{name}#", partial(self.texts, depth - 1))
            return
        content = stream.read(self.most + 1)
        yield TarText(name, content if len(content) <= self.most else None)

    def lines(self, file: IO[bytes], name: str) -> Iterator[TarText]:
        """The lines of a file."""
        while line := file.readline(self.most + 1):
            if len(line) <= self.most:
                yield TarText(name, line)
                continue
            while line and not line.endswith(b"\n"):
                line = file.readline(BLOCK)
            yield TarText(name, None)

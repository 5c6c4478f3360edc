"""The directory of a zip, read entry by entry: `zipfile` makes an object of each entry first, which takes fifteen times
the bytes of the directory, and refuses a directory with a name that is not UTF-8.

Source: PKWARE, ".ZIP File Format Specification" (APPNOTE.TXT 6.3.10), sections 4.3.12 to 4.3.16 and 4.5.3.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa

from curation.core.names import MAX_NAME, name_text

_BLOCK = 1 << 20  # bytes of the directory that are read at a time
_END = struct.Struct("<4s4H2IH")  # … entries, size and offset of the directory, length of the comment
_END_64 = struct.Struct("<4sQ2H2I4Q")  # … the same
_LOCATOR_64 = struct.Struct("<4sIQI")
_ENTRY = struct.Struct("<4s6H3I5H2I")
_MAX_COMMENT = 1 << 16
_UTF8 = 1 << 11  # flag: the name is UTF-8, and not in the code page of MS-DOS
_ENCRYPTED = 1  # flag
_IN_EXTRA = 0xFFFFFFFF  # a size or an offset that stands in the extra field
_ZIP64 = 1  # kind of that extra field


class ZipEntry(NamedTuple):
    """What the directory says of a member. `name` is as `names` has it, None where it is longer than `MAX_NAME`."""

    name: str | None
    offset: int  # of its own header
    compressed_size: int
    size: int
    method: int
    encrypted: bool
    is_folder: bool


class _Directory(NamedTuple):
    """Where a directory begins and ends; `shift` is what is missing in its offsets where the zip follows other data."""

    start: int
    stop: int
    shift: int


def zip_entries(stream: pa.NativeFile) -> Iterator[ZipEntry]:
    """What a zip's directory lists, in order. Raises ValueError where it cannot be read."""
    found = _directory(stream)
    offset = found.start
    block = b""
    at = 0
    while offset + at < found.stop:
        most = _ENTRY.size + 3 * _MAX_COMMENT  # bytes of an entry
        if len(block) - at < min(most, found.stop - offset - at):
            offset += at
            at = 0
            block = bytes(stream.read_at(min(_BLOCK, found.stop - offset), offset))
        if len(block) - at < _ENTRY.size:
            raise ValueError("the directory is cut short")
        entry, at = _entry(block, at, found.shift)
        yield entry


def _entry(block: bytes, at: int, shift: int) -> tuple[ZipEntry, int]:
    """The entry at a place, and where it ends."""
    fields = _ENTRY.unpack_from(block, at)
    if fields[0] != b"PK\x01\x02":
        raise ValueError("its directory is damaged")
    flags = fields[3]
    name_size, extra_size, comment_size = fields[10:13]
    at += _ENTRY.size
    name = block[at : at + name_size].partition(b"\0")[0]
    at += name_size
    compressed, size, offset = _sizes(block[at : at + extra_size], fields[8], fields[9], fields[16])
    text = name_text(name.decode("utf-8", "surrogateescape") if flags & _UTF8 else name.decode("cp437"))
    known = ZipEntry(
        text if len(name) <= MAX_NAME else None,
        offset + shift,
        compressed,
        size,
        fields[4],
        bool(flags & _ENCRYPTED),
        text.endswith("/"),
    )
    return known, at + extra_size + comment_size


def _sizes(extra: bytes, compressed: int, size: int, offset: int) -> tuple[int, int, int]:
    """Those of an entry, of which large ones stand in its extra field."""
    stated = [size, compressed, offset]
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        data = extra[at + 4 : at + 4 + length]
        at += 4 + length
        if kind != _ZIP64:
            continue
        for number, value in enumerate(stated):
            if value == _IN_EXTRA:
                if len(data) < 8:
                    raise ValueError("its directory is damaged: a size is missing")
                stated[number] = int.from_bytes(data[:8], "little")
                data = data[8:]
    return stated[1], stated[0], stated[2]


def _directory(stream: pa.NativeFile) -> _Directory:
    length = stream.size()
    first = max(length - _MAX_COMMENT - _END.size, 0)
    tail = bytes(stream.read_at(length - first, first))
    at = tail.rfind(b"PK\x05\x06")
    if tail[-_END.size :].startswith(b"PK\x05\x06") and tail.endswith(b"\0\0"):
        at = len(tail) - _END.size
    if at < 0 or len(tail) - at < _END.size:
        raise ValueError("its end is missing")
    size, offset = _END.unpack_from(tail, at)[5:7]
    stop = first + at
    locator = stop - _LOCATOR_64.size
    place = locator - _END_64.size
    if place >= 0 and bytes(stream.read_at(4, locator)) == b"PK\x06\x07":
        large = bytes(stream.read_at(_END_64.size, place))
        if large.startswith(b"PK\x06\x06"):
            size, offset = _END_64.unpack(large)[8:10]
            stop = place
    start = stop - size
    if start < 0:
        raise ValueError("its directory is not where it should be")
    return _Directory(start, stop, start - offset)

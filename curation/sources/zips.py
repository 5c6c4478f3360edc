"""The files in a zip, each read as a stream, also where the directory or a member is damaged."""

import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing

import pyarrow as pa

from curation.core import storage
from curation.core.protocols import ReadTally
from curation.sources.inflate import FEED, until_error
from curation.sources.read_ahead import BLOCK, Raw, open_raw

ZIP = b"PK\x03\x04"
MOST_INFLATED = 1032  # bytes that deflate makes of one, at most
_LOCAL_HEAD = struct.Struct("<4s5H3I2H")  # signature … length of name, length of extra field

OnFault = Callable[[str, int, str], None]  # (file, offset in it, what is wrong)


def is_zip(path: str) -> bool:
    """Whether a file begins as a zip does. Raises InputError if there is none at `path`."""
    with closing(open_raw(path)) as raw:
        return raw.read(len(ZIP)) == ZIP


def zip_files(path: str, tally: ReadTally, most: int) -> Iterator[tuple[str, bytes | None]]:
    """Name and bytes of each file in a zip, in order; one of more than `most` bytes is not held. Where the files give
    more together than there can be in the archive, they lie over one another, and the rest of them is not read."""
    fs, inner = storage.resolve(path)
    with fs.open_input_file(inner) as stream:
        try:
            listed = listed_members(stream)
        except ValueError as error:
            tally.fault(path, 0, f"zip without a readable directory: {error}")
            return
        left = MOST_INFLATED * stream.size()
        for member in listed:
            if member.is_dir():
                continue
            raw = ZipMember(f"{path}#{member.filename}", stream, member, tally.fault)
            parts = [b""]
            size = 0
            while size <= most and (part := raw.read(most + 1 - size)):
                parts.append(part)
                size += len(part)
            left -= size
            if left < 0:
                tally.fault(path, 0, f"the files of this zip lie over one another; read up to {member.filename}")
                return
            yield member.filename, b"".join(parts) if size <= most else None


def listed_members(stream: pa.NativeFile) -> list[zipfile.ZipInfo]:
    """What a zip's directory lists. Raises ValueError if it cannot be read."""
    try:
        return zipfile.ZipFile(stream).infolist()
    except (zipfile.BadZipFile, NotImplementedError, EOFError) as error:
        raise ValueError(str(error)) from error


def content_offset(stream: pa.NativeFile, member: zipfile.ZipInfo) -> int | None:
    """Where a member's bytes begin; None if there is no member where the directory says."""
    if not 0 <= member.header_offset <= stream.size() - _LOCAL_HEAD.size:
        return None
    stream.seek(member.header_offset)
    head = stream.read(_LOCAL_HEAD.size)
    name, extra = _LOCAL_HEAD.unpack(head)[-2:]
    start = member.header_offset + _LOCAL_HEAD.size + int(name) + int(extra)
    return start if head.startswith(ZIP) and start <= stream.size() else None


class ZipMember(Raw):
    """The bytes of one file in a zip. `zipfile` is not used, because it returns nothing of a damaged block."""

    def __init__(self, origin: str, stream: pa.NativeFile, member: zipfile.ZipInfo, on_fault: OnFault) -> None:
        super().__init__(origin, stream)
        self._left = member.compress_size
        self._on_fault = on_fault
        self._inflater = zlib.decompressobj(-zlib.MAX_WBITS) if member.compress_type == zipfile.ZIP_DEFLATED else None
        start = content_offset(stream, member)
        if start is None:
            self._stop("no zip member at the offset that the directory gives")
        elif member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or member.flag_bits & 1:
            self._stop("zip member is encrypted, or compressed by another method than deflate")
        else:
            stream.seek(start)

    def read(self, size: int = -1) -> bytes:
        """Some bytes, at most about `BLOCK`; none at the end."""
        if self._inflater is None:
            return self._packed(min(size, BLOCK) if size >= 0 else BLOCK)
        out = b""
        while not out and not self._inflater.eof:
            packed = self._inflater.unconsumed_tail or self._packed(FEED)
            if not packed:
                return b""
            before = self._inflater.copy()
            try:
                out = self._inflater.decompress(packed, BLOCK)
            except zlib.error as error:
                self._stop(f"damaged zip member: {error}")
                self._inflater = None
                return until_error(before, packed)
        return out

    def _packed(self, size: int) -> bytes:
        data = super().read(min(size, self._left))
        self._left -= len(data)
        if not data and self._left:
            self._stop("zip member is cut short by the end of the file")
        return data

    def _stop(self, error: str) -> None:
        self._left = 0
        self._on_fault(self.path, 0, error)

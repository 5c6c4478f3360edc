"""The files in a zip, each read as a stream, also where the directory or a member is damaged."""

import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing

import pyarrow as pa

from curation.core import storage
from curation.core.protocols import ReadTally
from curation.sources.inflate import FEED, until_error
from curation.sources.inflation import BOMB, Inflation
from curation.sources.read_ahead import BLOCK, Raw, open_raw
from curation.sources.zip_directory import ZipEntry, zip_entries

ZIP = b"PK\x03\x04"
OVERLAP = "the files of this zip lie over one another"
STORED = 0  # methods
DEFLATED = 8
_LOCAL_HEAD = struct.Struct("<4s5H3I2H")  # signature … length of name, length of extra field

OnFault = Callable[[str, int, str], None]  # (file, offset in it, what is wrong)


def is_zip(path: str) -> bool:
    """Whether a file begins as a zip does. Raises InputError if there is none at `path`."""
    with closing(open_raw(path)) as raw:
        return raw.read(len(ZIP)) == ZIP


def zip_files(path: str, tally: ReadTally, most: int) -> Iterator[tuple[str, bytes | None]]:
    """Name and bytes of each file in a zip, in order; one of more than `most` bytes is not held. Where the files have
    more packed bytes together than the archive, they lie over one another, and the rest of them is not read."""
    fs, inner = storage.resolve(path)
    with fs.open_input_file(inner) as stream:
        inflation = Inflation(stream.size)
        left = stream.size()
        for entry in _listed(path, stream, tally):
            raw = ZipMember(f"{path}#{entry.name}", stream, entry, tally.fault, inflation)
            parts = [b""]
            size = 0
            while size <= most and (part := raw.read(most + 1 - size)):
                parts.append(part)
                size += len(part)
            left -= raw.taken
            if left < 0:
                tally.fault(path, 0, f"{OVERLAP}; read up to {entry.name}")
                return
            yield entry.name or "", b"".join(parts) if size <= most else None
            if inflation.over:
                return


def _listed(path: str, stream: pa.NativeFile, tally: ReadTally) -> Iterator[ZipEntry]:
    """The files in a zip that have a name which is not too long."""
    try:
        for entry in zip_entries(stream):
            if entry.name is None:
                tally.records["skipped.long_name"] += 1
            elif not entry.is_folder:
                yield entry
    except ValueError as error:
        tally.fault(path, 0, f"zip without a readable directory: {error}")


def content_offset(stream: pa.NativeFile, member: ZipEntry) -> int | None:
    """Where a member's bytes begin; None if there is no member where the directory says."""
    if not 0 <= member.offset <= stream.size() - _LOCAL_HEAD.size:
        return None
    stream.seek(member.offset)
    head = stream.read(_LOCAL_HEAD.size)
    name, extra = _LOCAL_HEAD.unpack(head)[-2:]
    start = member.offset + _LOCAL_HEAD.size + int(name) + int(extra)
    return start if head.startswith(ZIP) and start <= stream.size() else None


class ZipMember(Raw):
    """The bytes of one file in a zip, which count to what the zip gives. `zipfile` is not used, because it returns
    nothing of a damaged block."""

    def __init__(
        self, origin: str, stream: pa.NativeFile, member: ZipEntry, on_fault: OnFault, inflation: Inflation
    ) -> None:
        super().__init__(origin, stream)
        self.taken = 0  # packed bytes that were read
        self._left = member.compressed_size
        self._on_fault = on_fault
        self._inflation = inflation
        self._inflater = zlib.decompressobj(-zlib.MAX_WBITS) if member.method == DEFLATED else None
        start = content_offset(stream, member)
        if start is None:
            self._stop("no zip member at the offset that the directory gives")
        elif member.method not in (STORED, DEFLATED) or member.encrypted:
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
        if out and not self._inflation.add(len(out)):
            self._stop(BOMB)
            self._inflater = None
            return b""
        return out

    def _packed(self, size: int) -> bytes:
        data = super().read(min(size, self._left))
        self._left -= len(data)
        self.taken += len(data)
        if not data and self._left:
            self._stop("zip member is cut short by the end of the file")
        return data

    def _stop(self, error: str) -> None:
        self._left = 0
        self._on_fault(self.path, 0, error)

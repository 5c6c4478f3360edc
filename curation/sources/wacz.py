"""Opens an archive: the file itself or, for WACZ, each WARC inside the zip file.

Source: Webrecorder 2021, "Web Archive Collection Zipped" (WACZ 1.1.1). Its index and page list are not used, because
the records say the same. A WACZ without a readable directory is searched for the records stored in it.
"""

import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial

import pyarrow as pa

from curation.core import storage
from curation.sources.archive import RECORD_START, Record, records
from curation.sources.inflate import FEED, container, spans, until_error
from curation.sources.read_ahead import BLOCK, Raw, Window, open_raw

ZIP = b"PK\x03\x04"
ARCHIVES = (".warc", ".warc.gz", ".arc", ".arc.gz")
_LOCAL_HEAD = struct.Struct("<4s5H3I2H")  # signature … length of name, length of extra field

OnFault = Callable[[str, int, str], None]  # (file, offset in it, what is wrong)


def read_archive(path: str, on_fault: OnFault, *, max_block: int) -> Iterator[tuple[str, Record]]:
    """(origin, record) of every record in a WARC, ARC or WACZ file; origin is `path`, or `path#member` in a WACZ.

    Offsets are those of `archive.Record`, within the origin. Raises InputError if there is no such file.
    """
    with closing(open_raw(path)) as raw:
        zipped = raw.read(len(ZIP)) == ZIP
    members = _members(path, on_fault) if zipped else None
    if members is None:
        with closing(open_raw(path)) as raw:
            yield from _records(path, raw, on_fault, max_block, storage.size(path))
        return
    fs, inner = storage.resolve(path)
    for member in members:
        with fs.open_input_file(inner) as stream:
            origin = f"{path}#{member.filename}"
            raw = _Member(origin, stream, member, on_fault)
            yield from _records(origin, raw, on_fault, max_block, member.file_size)


def _records(origin: str, raw: Raw, on_fault: OnFault, max_block: int, size: int) -> Iterator[tuple[str, Record]]:
    report = partial(on_fault, origin)
    window = Window(raw)
    codec = container(window, RECORD_START)
    inflated = spans(window, codec, report, RECORD_START)
    for record in records(inflated, report, max_block=max_block, total=size if codec is None else None):
        yield origin, record


def _members(path: str, on_fault: OnFault) -> list[zipfile.ZipInfo] | None:
    """The archives in a WACZ, in its order; None if its directory cannot be read."""
    fs, inner = storage.resolve(path)
    with fs.open_input_file(inner) as stream:
        try:
            listed = zipfile.ZipFile(stream).infolist()
        except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError) as error:
            on_fault(path, 0, f"WACZ without a readable directory ({error}); searched for stored records")
            return None
        archives = [member for member in listed if member.filename.lower().endswith(ARCHIVES)]
        if archives and not any(_content_offset(stream, member) for member in archives):
            on_fault(path, 0, "WACZ whose directory gives wrong offsets only; searched for stored records")
            return None
    return archives


def _content_offset(stream: pa.NativeFile, member: zipfile.ZipInfo) -> int | None:
    """Where a member's bytes begin; None if there is no member where the directory says."""
    if not 0 <= member.header_offset <= stream.size() - _LOCAL_HEAD.size:
        return None
    stream.seek(member.header_offset)
    head = stream.read(_LOCAL_HEAD.size)
    name, extra = _LOCAL_HEAD.unpack(head)[-2:]
    start = member.header_offset + _LOCAL_HEAD.size + int(name) + int(extra)
    return start if head.startswith(ZIP) and start <= stream.size() else None


class _Member(Raw):
    """The bytes of one file in a zip. `zipfile` is not used, because it returns nothing of a damaged block."""

    def __init__(self, origin: str, stream: pa.NativeFile, member: zipfile.ZipInfo, on_fault: OnFault) -> None:
        super().__init__(origin, stream)
        self._left = member.compress_size
        self._on_fault = on_fault
        self._inflater = zlib.decompressobj(-zlib.MAX_WBITS) if member.compress_type == zipfile.ZIP_DEFLATED else None
        start = _content_offset(stream, member)
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

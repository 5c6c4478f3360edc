"""The records of an archive as crawlers write it: each gzip member is one WARC record, with headers as the standard has
them. They are found by one search a member, at half the cost of inflating it.

What is written in another way, damaged or larger ends it, and `wacz.read_archive` takes over from there: it reads
anything, and gives the same records.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import closing

from isal import isal_zlib

from curation.sources.archive import MAX_HEAD, Record
from curation.sources.lost_bytes import OnLost
from curation.sources.read_ahead import BLOCK, Raw, open_raw
from curation.sources.wacz import read_archive

FEED = 1 << 14  # compressed bytes at a time
_HEAD = re.compile(rb"WARC/\d\.\d\r\n((?:[A-Za-z][A-Za-z-]*: [^\r\n]*\r\n)+)\r\n")
_FIELD = re.compile(r"(?<![^\n])([^:\r\n]+): ([^\r\n]*)\r\n")
_LENGTH = re.compile(r"[0-9]{1,15}")
_END = b"\r\n\r\n"


def archive_records(
    path: str, on_fault: Callable[[str, int, str], None], *, max_block: int, on_lost: OnLost = lambda *_: None
) -> Iterator[tuple[str, Record]]:
    """As `read_archive`."""
    position = 0
    with closing(open_raw(path)) as raw:
        for offset, content in _members(raw, max_block + MAX_HEAD):
            record = _record(content, offset, position, max_block)
            if record is None:
                break
            position += len(content)
            yield path, record
        else:
            return
    for origin, record in read_archive(path, on_fault, max_block=max_block, on_lost=on_lost):
        if "#" in origin.removeprefix(path) or record.position >= position:
            yield origin, record


class _CompressedBytes:
    """A file's bytes, a few at a time."""

    def __init__(self, raw: Raw) -> None:
        self._raw = raw
        self._block = memoryview(b"")
        self._at = 0
        self.offset = 0

    def next(self) -> memoryview:
        """Some from `offset` on; none at the end."""
        if self._at == len(self._block):
            self._block = memoryview(self._raw.read(BLOCK))
            self._at = 0
        return self._block[self._at : self._at + FEED]

    def take(self, size: int) -> None:
        self._at += size
        self.offset += size


def _members(raw: Raw, most: int) -> Iterator[tuple[int, bytes]]:
    """Offset and content of each gzip member; of one that is damaged, cut short or larger than `most` bytes, b""."""
    compressed = _CompressedBytes(raw)
    while compressed.next():
        start = compressed.offset
        inflater = isal_zlib.decompressobj(wbits=31)
        parts: list[bytes] = []
        room = most
        while room and not inflater.eof and (feed := compressed.next()):
            try:
                parts.append(inflater.decompress(feed, room))
            except isal_zlib.error:  # type: ignore[misc]  # its stubs take the class for an object of it
                break
            room -= len(parts[-1])
            compressed.take(len(feed) - len(inflater.unused_data if inflater.eof else inflater.unconsumed_tail))
        yield start, b"".join(parts) if inflater.eof else b""


def _record(content: bytes, offset: int, position: int, max_block: int) -> Record | None:
    """The record that the member holds, if it is one and no more."""
    head = _HEAD.match(content, 0, MAX_HEAD)
    if head is None:
        return None
    try:
        pairs = _FIELD.findall(head[1].decode())
    except UnicodeDecodeError:
        return None
    headers = {name.lower(): value.strip() for name, value in pairs}
    stated = headers.get("content-length", "")
    if len(headers) < len(pairs) or "" in headers.values() or not _LENGTH.fullmatch(stated):
        return None
    start = head.end()
    stop = start + int(stated)
    if content[stop:] != _END or int(stated) > max_block:
        return None
    return Record(headers.get("warc-type", "").lower(), headers, content[start:stop], offset, position, int(stated))

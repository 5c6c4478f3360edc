"""Turns the bytes of a file into decompressed spans, past damage where it can: gzip, zstd, lz4 or nothing.

A gzip file is read member by member, because web archives hold one record per member: where one is damaged, what it
gave before the damage is kept and reading goes on at the next member that inflates to the start of a record.
Memory is bounded by `HISTORY` and `BLOCK` whatever the input claims.
"""

import re
import zlib
from collections.abc import Callable, Generator, Iterator
from typing import Any, NamedTuple

import pyarrow as pa

from curation.sources.read_ahead import BLOCK, Forward, Window

FEED = 1 << 15  # compressed bytes per inflate call: what is left over at a member's end is copied by zlib
HISTORY = 1 << 20  # compressed bytes kept to look for the next member in, since damage shows late
TRIAL = 1 << 16  # bytes inflated to see whether a member is real

GZIP = b"\x1f\x8b\x08"
_GZIP_MAGIC = re.compile(rb"\x1f\x8b\x08[\x00-\x1f]")  # the upper flag bits are reserved
_FRAMES = {b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4"}

OnFault = Callable[[int, str], None]  # (offset in the file, what is wrong)


class Span(NamedTuple):
    """Consecutive decompressed bytes; `member` is the file offset of the gzip member that begins with them."""

    data: bytes
    member: int | None = None
    gap: bool = False  # bytes are missing before these


def spans(
    window: Window, codec: str | None, on_fault: OnFault, record_start: re.Pattern[bytes] | None = None
) -> Iterator[Span]:
    """Decompressed bytes in order. Damage is told to `on_fault` once, with the file offset of the member that has it.

    `codec` is as from `container`. `record_start` is how a record begins; without it nothing is looked for behind
    damage in a gzip file.
    """
    if codec == "gzip":
        return _members(window, on_fault, record_start)
    return _plain(window) if codec is None else _frames(window, codec, on_fault)


def container(window: Window, record_start: re.Pattern[bytes] | None = None) -> str | None:
    """gzip, zstd, lz4 or None, by the first bytes; if those say nothing, by whether records are found inflated."""
    head = window.at(0, 4)
    if head.startswith(GZIP):
        return "gzip"
    if head in _FRAMES:
        return _FRAMES[head]
    if record_start is None or record_start.search(window.at(0, HISTORY)):
        return None
    return "gzip" if _find_member(window, 0, record_start, HISTORY) is not None else None


def _plain(window: Window) -> Iterator[Span]:
    offset = 0
    while data := window.at(offset, BLOCK):
        offset += len(data)
        window.forget(offset)
        yield Span(data)


def _frames(window: Window, codec: str, on_fault: OnFault) -> Iterator[Span]:
    stream = pa.CompressedInputStream(pa.PythonFile(Forward(window), mode="r"), codec)
    position = 0
    while True:
        try:
            data = stream.read(BLOCK)
        except OSError as error:  # pyarrow's word for a corrupt or clipped frame; a failed read is a StageError
            on_fault(position, f"damaged {codec} data, {position} bytes in: {error}")
            yield Span(b"", gap=True)
            return
        if not data:
            return
        position += len(data)
        yield Span(data)


def _members(window: Window, on_fault: OnFault, record_start: re.Pattern[bytes] | None) -> Iterator[Span]:
    offset, gap = 0, False
    while True:
        offset = _skip_padding(window, offset)
        if not window.at(offset, 1):
            return
        if window.at(offset, 3) == GZIP:
            end, error = yield from _member(window, offset, gap)
            gap = error is not None
        else:
            end, error, gap = offset, "no gzip member here", True
        if error is None:
            offset = end
            continue
        on_fault(offset, error)
        found = _find_member(window, offset + 1, record_start) if record_start else None
        if found is None:
            yield Span(b"", gap=True)
            return
        offset = found


def _skip_padding(window: Window, offset: int) -> int:
    while (byte := window.at(offset, 1)) and byte in b"\0\r\n":
        offset += 1
        window.forget(offset)
    return offset


def _member(window: Window, start: int, gap: bool) -> Generator[Span, Any, tuple[int, str | None]]:
    """Spans of one member; returns the offset behind it and what is wrong with it."""
    inflater = zlib.decompressobj(wbits=31)
    offset = start
    member: int | None = start
    while not inflater.eof:
        window.forget(max(start, offset - HISTORY))
        feed = window.at(offset, FEED)
        if not feed:
            yield Span(inflater.flush(), member, gap)
            return offset, "gzip member is cut short by the end of the file"
        # A call that meets damage gives nothing, not even what came before it; so it is made again on a copy.
        before = inflater.copy() if offset > start else zlib.decompressobj(wbits=31)
        try:
            data = inflater.decompress(feed, BLOCK)
        except zlib.error as error:
            yield Span(until_error(before, feed), member, gap)
            return offset, f"damaged gzip member: {error}"
        # At a member's end zlib leaves `unconsumed_tail` as the call before set it.
        offset += len(feed) - len(inflater.unused_data if inflater.eof else inflater.unconsumed_tail)
        if data:
            yield Span(data, member, gap)
            member, gap = None, False
    return offset, None


def until_error(inflater: Any, feed: bytes, limit: int = BLOCK) -> bytes:
    """What a damaged stream gives before it shows, up to `limit` bytes: byte by byte, as a failing call gives none."""
    out: list[bytes] = []
    left = limit
    try:
        for i in range(len(feed)):
            out.append(inflater.decompress(feed[i : i + 1]))
            left -= len(out[-1])
            if left <= 0:
                break
    except zlib.error:
        pass
    return b"".join(out)[:limit]


def _find_member(window: Window, offset: int, record_start: re.Pattern[bytes], within: int | None = None) -> int | None:
    """The next offset at which a gzip member inflates to something with a record in its first `TRIAL` bytes."""
    stop = None if within is None else offset + within
    while (data := window.at(offset, BLOCK)) and (stop is None or offset < stop):
        for found in _GZIP_MAGIC.finditer(data):
            at = offset + found.start()
            if record_start.search(_trial(window.at(at, TRIAL))):
                return at
        if len(data) < BLOCK:
            return None
        offset += BLOCK - len(GZIP) + 1
        if stop is None:
            window.forget(offset)
    return None


def _trial(data: bytes) -> bytes:
    inflater = zlib.decompressobj(wbits=31)
    try:
        return inflater.decompress(data, TRIAL)
    except zlib.error:
        return until_error(zlib.decompressobj(wbits=31), data[:4096])

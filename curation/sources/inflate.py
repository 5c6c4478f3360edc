"""Decompresses a file into spans, past damage where possible: gzip, zstd, lz4 or plain.

A gzip file is read member by member, because web archives hold one record per member. If one is damaged, what it gave
before the damage is kept, and reading continues at the next member that inflates to the start of a record. Memory is
bounded by `HISTORY` and `BLOCK` whatever the input claims.
"""

import re
import zlib
from collections.abc import Callable, Generator, Iterator
from typing import Any, NamedTuple

import pyarrow as pa

from curation.sources.read_ahead import BLOCK, Forward, Window

FEED = 1 << 15  # compressed bytes per inflate call; small, because zlib copies what follows a member's end
HISTORY = 1 << 20  # compressed bytes kept to search for the next member, because damage shows late
TRIAL = 1 << 16  # bytes inflated to see whether a member is real
MAX_TRIALS = 10_000  # in one file: garbage may look like a member every four bytes
STEP = 1 << 10  # bytes of a damaged stream that are inflated at a time

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
    """Decompressed bytes in order. Reports damage to `on_fault` once, with the file offset of the damaged member.

    `codec` comes from `container`. `record_start` matches the start of a record; without it, reading ends at damage in
    a gzip file.
    """
    if codec == "gzip":
        return _members(window, on_fault, record_start)
    return _plain(window) if codec is None else _frames(window, codec, on_fault)


def container(window: Window, record_start: re.Pattern[bytes] | None = None) -> str | None:
    """gzip, zstd, lz4 or None, by the first bytes; if they are unknown, by searching for inflated records."""
    head = window.at(0, 4)
    if head.startswith(GZIP):
        return "gzip"
    if head in _FRAMES:
        return _FRAMES[head]
    if record_start is None or record_start.search(window.at(0, HISTORY)):
        return None
    return "gzip" if _find_member(window, 0, record_start, iter(range(MAX_TRIALS)), HISTORY) is not None else None


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
        except OSError as error:  # a corrupt or truncated frame in pyarrow; a failed read is a StageError
            on_fault(position, f"damaged {codec} data, {position} bytes in: {error}")
            yield Span(b"", gap=True)
            return
        if not data:
            return
        position += len(data)
        yield Span(data)


def _members(window: Window, on_fault: OnFault, record_start: re.Pattern[bytes] | None) -> Iterator[Span]:
    offset, gap = 0, False
    trials = iter(range(MAX_TRIALS))
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
        next_member = _find_member(window, offset + 1, record_start, trials) if record_start else None
        if next_member is None:
            yield Span(b"", gap=True)
            return
        offset = next_member


def _skip_padding(window: Window, offset: int) -> int:
    while (byte := window.at(offset, 1)) and byte in b"\0\r\n":
        offset += 1
        window.forget(offset)
    return offset


def _member(window: Window, start: int, gap: bool) -> Generator[Span, Any, tuple[int, str | None]]:
    """Spans of one member; returns the offset after it and what is wrong with it."""
    inflater = zlib.decompressobj(wbits=31)
    offset = start
    member: int | None = start
    while not inflater.eof:
        window.forget(max(start, offset - HISTORY))
        feed = window.at(offset, FEED)
        if not feed:
            yield Span(inflater.flush(), member, gap)
            return offset, "gzip member is cut short by the end of the file"
        # A call that meets damage gives nothing, not even what came before it, so it is repeated on a copy.
        before = inflater.copy() if offset > start else zlib.decompressobj(wbits=31)
        try:
            data = inflater.decompress(feed, BLOCK)
        except zlib.error as error:
            yield Span(until_error(before, feed), member, gap)
            return offset, f"damaged gzip member: {error}"
        # At a member's end zlib does not update `unconsumed_tail`.
        offset += len(feed) - len(inflater.unused_data if inflater.eof else inflater.unconsumed_tail)
        if data:
            yield Span(data, member, gap)
            member, gap = None, False
    return offset, None


def until_error(inflater: Any, feed: bytes, limit: int = BLOCK) -> bytes:
    """What a damaged stream gives before the damage, up to `limit` bytes. A call that fails gives nothing, so the piece
    with the damage is repeated byte by byte."""
    out: list[bytes] = []
    left, at, step = limit, 0, STEP
    while at < len(feed) and left > 0:
        before = inflater.copy() if step > 1 else None
        try:
            out.append(inflater.decompress(feed[at : at + step]))
        except zlib.error:
            if before is None:
                break
            inflater, step = before, 1
            continue
        at += step
        left -= len(out[-1])
    return b"".join(out)[:limit]


def _find_member(
    window: Window, offset: int, record_start: re.Pattern[bytes], trials: Iterator[int], within: int | None = None
) -> int | None:
    """The next offset at which a gzip member inflates to something with a record in its first `TRIAL` bytes; None also
    when no `trials` are left."""
    stop = None if within is None else offset + within
    while (data := window.at(offset, BLOCK)) and (stop is None or offset < stop):
        for magic in _GZIP_MAGIC.finditer(data):
            if next(trials, None) is None:
                return None
            at = offset + magic.start()
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

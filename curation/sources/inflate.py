"""Decompresses a file into spans, past damage where possible: gzip, zstd, lz4, xz, bzip2 or plain.

A compressed file is read member by member (zstd and lz4 call them frames), because many archives hold one record per
member. If one is damaged, what it gave before the damage is kept, and reading continues at the next member that
decompresses, in an archive to the start of a record. A dictionary before zstd frames is used for them. Memory is
bounded by `HISTORY` and `BLOCK` whatever a gzip file claims, and by the limits in `frames` and `zstd_dictionaries`.
"""

import bz2
import io
import lzma
import re
import zlib
from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import Any, NamedTuple

from curation.sources.frames import LZ4, MAX_BLOCK, ZSTD, End, Pieces, after_skippable, lz4_frame, zstd_frame
from curation.sources.inflation import BOMB, Inflation
from curation.sources.read_ahead import BLOCK, Raw, Window
from curation.sources.zstd_dictionaries import DICTIONARY_FRAME, pass_skippable

FEED = 1 << 15  # compressed bytes per inflate call; small, because zlib copies what follows a member's end
HISTORY = 1 << 20  # compressed bytes kept to search for the next gzip member, because damage shows late
TRIAL = 1 << 16  # bytes decompressed to see whether a member is real
MAX_TRIALS = 10_000  # in one file: garbage may look like a member every four bytes
XZ_MEMORY = 256 << 20  # bytes that decompressing an xz stream may take; the tool's highest level takes 65 MiB
STEP = 1 << 10  # bytes of a damaged stream that are inflated at a time

_XZ = re.compile(rb"\xfd7zX")
_BZIP2 = re.compile(rb"BZh[1-9]")
_GZIP = re.compile(rb"\x1f\x8b\x08[\x00-\x1f]")  # the upper flag bits are reserved

OnFault = Callable[[int, str], None]  # (offset in the file, what is wrong)
OnPassed = Callable[[int, int | None], None]  # (from, to) of bytes that are passed over; None: the end of the file


class InflatedBytes(NamedTuple):
    """Consecutive decompressed bytes; `member` is the file offset of the member that begins with them."""

    data: bytes
    member: int | None = None
    gap: bool = False  # bytes are missing before these


class Codec(NamedTuple):
    """A compression: what a member begins with, how it is read, and how many of its bytes give the first `TRIAL`."""

    name: str
    magic: re.Pattern[bytes]
    member: Callable[..., Pieces]  # of a window and an offset in it
    trial: int


def spans(
    window: Window,
    codec: Codec | None,
    on_fault: OnFault,
    record_start: re.Pattern[bytes] | None = None,
    on_passed: OnPassed = lambda *_: None,
    inflation: Inflation | None = None,
) -> Iterator[InflatedBytes]:
    """Decompressed bytes in order. Reports damage to `on_fault` once, with the file offset of the damaged member, then
    to `on_passed` the bytes behind it of which nothing is read.

    `codec` comes from `container`. `record_start` matches the start of a record; after damage, reading goes on at a
    member that holds one, or without it at any sound member. `inflation` is that of the file which the window is of, or
    lies in; where it ends, reading ends, which is reported too.
    """
    if codec is None:
        return _plain(window)
    return _members(window, codec, on_fault, record_start, on_passed, inflation or Inflation.of(window))


def container(window: Window, record_start: re.Pattern[bytes] | None = None) -> Codec | None:
    """The file's compression by the first bytes; if they are unknown, by searching for records in members."""
    head = window.at(after_skippable(window, 0), 4)
    for codec in _CODECS:
        if codec.magic.match(head):
            return codec
    if DICTIONARY_FRAME.match(head):  # one that cannot be read, which reading reports
        return _ZSTD
    if record_start is None or record_start.search(window.at(0, HISTORY)):
        return None
    for codec in _CODECS:
        if _find_member(window, 0, codec, record_start, iter(range(MAX_TRIALS)), HISTORY) is not None:
            return codec
    return None


def _plain(window: Window) -> Iterator[InflatedBytes]:
    offset = 0
    while data := window.at(offset, BLOCK):
        offset += len(data)
        window.forget(offset)
        yield InflatedBytes(data)


def _members(
    window: Window,
    codec: Codec,
    on_fault: OnFault,
    record_start: re.Pattern[bytes] | None,
    on_passed: OnPassed,
    inflation: Inflation,
) -> Iterator[InflatedBytes]:
    offset = 0
    gap = False
    trials = iter(range(MAX_TRIALS))
    while True:
        offset, dictionary, error = pass_skippable(window, _skip_padding(window, offset))
        if not window.at(offset, 1):
            break
        if dictionary and codec.name == _ZSTD.name:
            codec = codec._replace(member=partial(codec.member, dictionary=dictionary))
        end = End(offset + 1, error or f"no {codec.name} data begins here")
        if codec.magic.match(window.at(offset, 4)):
            end, gap = yield from _spans_of(codec.member(window, offset), offset, gap, inflation)
        if end.error is None:
            offset = end.offset
            continue
        on_fault(offset, end.error)
        gap = True
        if inflation.over:
            on_passed(window.bytes_read(), None)
            break
        next_member = _find_member(window, window.first(end.offset), codec, record_start, trials)
        if not end.cut:
            on_passed(max(end.offset, end.reached), next_member)
        if next_member is None:
            break
        offset = next_member
    if gap:
        yield InflatedBytes(b"", gap=True)


def _spans_of(
    pieces: Pieces, start: int, gap: bool, inflation: Inflation
) -> Generator[InflatedBytes, Any, tuple[End, bool]]:
    """The spans of the member at `start`; returns its end, and whether a gap before it is still to be told."""
    member: int | None = start
    while True:
        try:
            data = next(pieces)
        except StopIteration as stop:
            return stop.value, gap
        if not inflation.add(len(data)):
            return End(start + 1, BOMB), gap
        if data:
            yield InflatedBytes(data, member, gap)
            member = None
            gap = False


def _skip_padding(window: Window, offset: int) -> int:
    while (byte := window.at(offset, 1)) and byte in b"\0\r\n":
        offset += 1
        window.forget(offset)
    return offset


def _gzip_member(window: Window, start: int) -> Pieces:
    """The pieces of the gzip member at `start`."""
    inflater = zlib.decompressobj(wbits=31)
    offset = start
    while not inflater.eof:
        window.forget(max(start, offset - HISTORY))
        feed = window.at(offset, FEED)
        if not feed:
            yield inflater.flush()
            return End(start + 1, "gzip member is cut short by the end of the file", cut=True)
        # A call that meets damage gives nothing, not even what came before it, so it is repeated on a copy.
        before = inflater.copy() if offset > start else zlib.decompressobj(wbits=31)
        try:
            data = inflater.decompress(feed, BLOCK)
        except zlib.error as error:
            data, sound = _before_error(before, feed, BLOCK)
            yield data
            return End(start + 1, f"damaged gzip member: {error}", reached=offset + sound)
        # At a member's end zlib does not update `unconsumed_tail`.
        offset += len(feed) - len(inflater.unused_data if inflater.eof else inflater.unconsumed_tail)
        yield data
    return End(offset)


def _xz_stream(window: Window, start: int) -> Pieces:
    """The pieces of the xz stream at `start`."""
    return _stream(window, start, lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY), "xz")


def _bzip2_stream(window: Window, start: int) -> Pieces:
    """The pieces of the bzip2 stream at `start`."""
    return _stream(window, start, bz2.BZ2Decompressor(), "bzip2")


def _stream(window: Window, start: int, decoder: lzma.LZMADecompressor | bz2.BZ2Decompressor, name: str) -> Pieces:
    offset = start
    while not decoder.eof:
        window.forget(max(start, offset - HISTORY))
        feed = window.at(offset, FEED) if decoder.needs_input else b""
        if decoder.needs_input and not feed:
            return End(start + 1, f"{name} stream is cut short by the end of the file", cut=True)
        try:
            data = decoder.decompress(feed, BLOCK)
        except (lzma.LZMAError, OSError, EOFError) as error:  # OSError: bzip2's
            return End(start + 1, f"damaged {name} stream: {error}", reached=offset + len(feed))
        offset += len(feed) - len(decoder.unused_data)
        yield data
    return End(offset)


def until_error(inflater: Any, feed: bytes, limit: int = BLOCK) -> bytes:
    """The content of a damaged stream before the damage, up to `limit` bytes."""
    return _before_error(inflater, feed, limit)[0]


def _before_error(inflater: Any, feed: bytes, limit: int) -> tuple[bytes, int]:
    """The same, and how many bytes of `feed` are before the damage. A call that fails gives nothing, so the piece with
    the damage is repeated byte by byte."""
    out: list[bytes] = []
    left = limit
    at = 0
    step = STEP
    while at < len(feed) and left > 0:
        before = inflater.copy() if step > 1 else None
        try:
            out.append(inflater.decompress(feed[at : at + step]))
        except zlib.error:
            if before is None:
                break
            inflater = before
            step = 1
            continue
        at += step
        left -= len(out[-1])
    return b"".join(out)[:limit], at


def _find_member(
    window: Window,
    offset: int,
    codec: Codec,
    record_start: re.Pattern[bytes] | None,
    trials: Iterator[int],
    within: int | None = None,
) -> int | None:
    """The next offset at which a real member begins; None also when no `trials` are left."""
    stop = None if within is None else offset + within
    while (data := window.at(offset, BLOCK)) and (stop is None or offset < stop):
        for magic in codec.magic.finditer(data):
            if next(trials, None) is None:
                return None
            at = offset + magic.start()
            if _is_real(window.at(at, codec.trial), codec, record_start):
                return at
        if len(data) < BLOCK:
            return None
        offset += BLOCK - 3  # a magic number of four bytes may begin in the last three
        if stop is None:
            window.forget(offset)
    return None


def _is_real(data: bytes, codec: Codec, record_start: re.Pattern[bytes] | None) -> bool:
    """Whether a member that begins with `data` gives a record, or without `record_start` anything and no damage."""
    pieces = codec.member(Window(Raw("", io.BytesIO(data))), 0)
    out = b""
    damaged = False
    while len(out) < TRIAL:
        try:
            out += next(pieces)
        except StopIteration as end:
            damaged = end.value.error is not None and not end.value.cut
            break
    return bool(out) and (record_start.search(out) is not None if record_start else not damaged)


_ZSTD = Codec("zstd", ZSTD, zstd_frame, 4 * TRIAL)  # a block holds up to 128 KiB
_CODECS = (
    Codec("gzip", _GZIP, _gzip_member, TRIAL),
    _ZSTD,
    Codec("lz4", LZ4, lz4_frame, MAX_BLOCK + TRIAL),
    Codec("xz", _XZ, _xz_stream, 4 * TRIAL),
    Codec("bzip2", _BZIP2, _bzip2_stream, BLOCK),  # a block holds up to 900 kB
)

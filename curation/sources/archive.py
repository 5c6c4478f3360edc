"""Finds the records in the decompressed bytes of a WARC or ARC archive, past damage where possible.

warcio is not used for framing: it stops at the first fault, after one record if a gzip member holds several, and takes
any line of five words for an ARC record. A record is as long as its Content-Length, unless the end or a compressed
member that begins with a record comes first. If no record or end follows a block of that length, the length is taken as
wrong and the record ends where the next one begins.

Sources: ISO 28500:2017 (WARC 1.1); Burner and Kahle 1996, "Arc File Format" (versions 1 and 2).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from curation.sources.bytestream import AHEAD, ByteStream, end_of_newlines
from curation.sources.fields import header_end, parse_fields
from curation.sources.inflate import InflatedBytes, OnFault
from curation.sources.read_ahead import BLOCK

MAX_HEAD = 1 << 16  # bytes of a record's own header
HTTP_HEAD = 1 << 16  # bytes kept of a block that is too long

_WARC = re.compile(rb"[Ww][Aa][Rr][Cc]/\d+(?:\.\d+){0,2}[ \t]*(?=[\r\n])")
_WARC_SEEN = re.compile(_WARC.pattern + rb"(?:\r*\n|\r)(?=[A-Za-z][\w-]*[ \t]*:)")
_PLAIN_WARC = re.compile(rb"WARC/\d+\.\d+[ \t]*\r?\n")
# url, IP, date, type, further fields of version 2, length. In a search for the next record, date and length must be
# numbers. Where a record must begin, `_fields` asks for less, and `_odd_fields` for still less once the file is an ARC.
# Quantifiers are possessive (`+`, `(?>`), because backtracking over garbage would take a million times as long.
_ARC_SEEN = re.compile(
    rb"^[A-Za-z][\w+.\-]*+:(?>[^\r\n]{0,4000}? \d{1,3}(?:\.\d{1,3}){3} \d{8,18} )[^\r\n]{1,420}+(?<=\d)\r?$",
    re.MULTILINE,
)
_ARC_LINE = re.compile(rb"([A-Za-z][\w+.\-]*+:[^\r\n]{0,8000}+)(\r*+\n)")
_IP = re.compile(rb"\d{1,3}(?:\.\d{1,3}){3}|[\da-fA-F]*:[\da-fA-F:]+")
_WORD = re.compile(rb"\w{0,40}")
_LENGTH = re.compile(rb"-?\w{1,40}")
_ARC_FILE = re.compile(rb"^filedesc:[^\r\n]{0,8000}\r?$", re.MULTILINE)
_ARC_DATE = re.compile(rb"\d{8,18}")
_ARC_BEGINS = re.compile(_ARC_SEEN.pattern + rb"|" + _ARC_FILE.pattern, re.MULTILINE)
RECORD_START = re.compile(_WARC_SEEN.pattern + b"|" + _ARC_BEGINS.pattern, re.MULTILINE)


@dataclass(slots=True)
class Record:
    """One record. `block` follows its header: HTTP header and body for a response."""

    kind: str  # WARC-Type in lower case; ARC files have warcinfo (the first record) and response
    headers: dict[str, str]  # lower-case names; the fields of an ARC line under their WARC names
    block: bytes
    offset: int  # of its compressed member in the file if it begins one, otherwise in the decompressed bytes
    position: int  # in the decompressed bytes, unique in the file
    length: int  # of the block: as stated, or as measured if the statement is missing or wrong
    too_long: bool = False  # block is only the first `HTTP_HEAD` bytes
    lenient: tuple[str, ...] = ()  # `warc_header` or `arc_line` if that violates the standard


class _Head(NamedTuple):
    """A record's own header."""

    kind: str
    headers: dict[str, str]
    stated: int | None  # length
    arc: bool
    lenient: tuple[str, ...]


def records(
    spans: Iterator[InflatedBytes], on_fault: OnFault, *, max_block: int, total: int | None = None
) -> Iterator[Record]:
    """Every record of any type, in order. `total` is the number of decompressed bytes, if known.

    Calls `on_fault` once for a header without an end, for bytes where a record must begin (everything up to the next
    record is lost), and for a wrong length. Faults that `inflate.spans` has reported are not reported again.
    """
    stream = ByteStream(spans, RECORD_START)
    arc: bool | None = None
    end = 0
    while stream.skip_newlines():
        reported = stream.pass_gaps()
        start = stream.offset(end)
        position = stream.position
        head = _head(stream, arc)
        if head is None:
            if not reported and not stream.cut_by_gap():
                on_fault(start, "no WARC or ARC record begins here")
            _find_record(stream, _marker(arc))
            continue
        arc = head.arc
        cut = stream.cut_by_gap()
        block, length, error = _block(stream, head.stated, _marker(arc), max_block, total)
        if error and not cut:
            on_fault(start, error)
        end = stream.position
        yield Record(head.kind, head.headers, block, start, position, length, length > max_block, head.lenient)


def _marker(arc: bool | None) -> re.Pattern[bytes]:
    if arc is None:
        return RECORD_START
    return _ARC_SEEN if arc else _WARC_SEEN


def _head(stream: ByteStream, arc: bool | None) -> _Head | None:
    """The header that begins here, with the stream moved to its block. None: no record begins here."""
    stop = stream.at + stream.need(MAX_HEAD)
    if version := _WARC.match(stream.data, stream.at, stop):
        end = header_end(stream.data, version.end(), stop)
        if end is None:
            return None
        headers = parse_fields(stream.data[version.end() : end.fields])
        plain = end.plain and _PLAIN_WARC.match(stream.data, stream.at, stop)
        stream.at = end.body
        length = _length(headers.get("content-length", ""))
        return _Head(headers.get("warc-type", "").lower(), headers, length, False, () if plain else ("warc_header",))
    if not arc and (arc is False or not _ARC_BEGINS.match(stream.data, stream.at, stop)):
        return None
    line = _ARC_LINE.match(stream.data, stream.at, stop)
    if line is None:
        return None
    plain_fields = _fields(line[1]) if len(line[2]) <= 2 else None
    fields = plain_fields or _odd_fields(line[1])
    if not fields:
        return None
    stream.at = line.end()
    url, date, media, stated = (field.decode("utf-8", "replace") for field in fields)
    kind = "warcinfo" if url.startswith("filedesc:") else "response"
    headers = {"warc-target-uri": url, "warc-date": date, "content-type": media}
    return _Head(kind, headers, _length(stated), True, () if plain_fields else ("arc_line",))


def _fields(line: bytes) -> tuple[bytes, bytes, bytes, bytes] | None:
    """url, date, type and length of an ARC line as the standard has it; the url may hold spaces."""
    words = line.split(b" ")
    if not _LENGTH.fullmatch(words[-1]):
        return None
    for i in range(1, len(words) - 3):
        if _IP.fullmatch(words[i]) and _WORD.fullmatch(words[i + 1]):
            return b" ".join(words[:i]), words[i + 1], words[i + 2], words[-1]
    return None


def _odd_fields(line: bytes) -> tuple[bytes, bytes, bytes, bytes] | None:
    """url, date, type and length of an ARC line whose IP address, date or number of fields is wrong.

    The date is the only field that is recognizable by itself; url and IP address come before it. Without a date, the
    last five words are the fields. A file's description may say anything, but a record must state its length.
    """
    words = line.rstrip().split(b" ")
    described = line.startswith(b"filedesc:")
    date = next((i for i, word in enumerate(words[2:-1], 2) if _ARC_DATE.fullmatch(word)), max(len(words) - 3, 0))
    if not described and (len(words) < 4 or not words[-1].isdigit()):
        return None
    media = words[date + 1] if date + 2 < len(words) else b""
    return b" ".join(words[: max(date - 1, 1)]), words[date], media, words[-1]


def _length(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _block(
    stream: ByteStream, stated: int | None, marker: re.Pattern[bytes], max_block: int, total: int | None
) -> tuple[bytes, int, str | None]:
    """The block (its beginning, if longer than `max_block`), its length, and what is wrong with it."""
    if stated is None or (total is not None and stream.position + stated > total):
        length = _until_marker(stream, stream.need(max_block + 1), marker)
        fault = "no Content-Length" if stated is None else f"Content-Length {stated} goes beyond the end of the file"
        return _take(stream, length, max_block), length, f"{fault}; took {length} bytes, up to the next record"
    if stated > max_block:
        block = stream.data[stream.at : stream.at + stream.need(HTTP_HEAD)]
        passed = stream.skip(stated)
        short = passed < stated and not stream.pass_gaps()
        return block, stated, f"record ends after {passed} of {stated} bytes" if short else None
    have = stream.need(stated + AHEAD)
    length = min(have, stated)
    if have >= stated and _may_follow(stream, stream.at + stated, stream.at + have, marker):
        return _take(stream, length, max_block), length, None
    length = _until_marker(stream, length, marker)
    short = length < stated and not (length == have and stream.cut_by_gap())
    error = f"Content-Length is {stated} but the record ends after {length} bytes" if short else None
    return _take(stream, length, max_block), length, error


def _until_marker(stream: ByteStream, size: int, marker: re.Pattern[bytes]) -> int:
    match = marker.search(stream.data, stream.at, stream.at + size)
    return match.start() - stream.at if match else size


def _take(stream: ByteStream, length: int, max_block: int) -> bytes:
    block = stream.data[stream.at : stream.at + (length if length <= max_block else HTTP_HEAD)]
    stream.skip(length)
    return block


def _may_follow(stream: ByteStream, start: int, stop: int, marker: re.Pattern[bytes]) -> bool:
    """Whether a block is followed by newlines, then a record, a boundary or the end."""
    after = end_of_newlines(stream.data, start, stop)
    return after == stop or bool(_WARC.match(stream.data, after) or marker.match(stream.data, after))


def _find_record(stream: ByteStream, marker: re.Pattern[bytes]) -> None:
    """Moves to the next record, to the next boundary or to the end."""
    stream.at += 1
    while have := stream.need(BLOCK):
        # Every record's first line begins after a line break or ends in one, and these are found ten times faster.
        breaks = any(stream.data.find(end, stream.at - 1, stream.at + have) >= 0 for end in (b"\n", b"\r"))
        if breaks and (match := marker.search(stream.data, stream.at, stream.at + have)):
            stream.at = match.start()
            return
        stream.at += have if have < BLOCK else BLOCK - AHEAD
        if have < BLOCK:
            return

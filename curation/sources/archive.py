"""Finds the records in the decompressed bytes of a WARC or ARC archive, past damage where possible.

warcio is not used for framing: it stops at the first fault, after one record if a gzip member holds several, and takes
any line of five words for an ARC record. A record ends where the next one begins, whatever length it states; see
`record_end`.

Sources: ISO 28500:2017 (WARC 1.1); Burner and Kahle 1996, "Arc File Format" (versions 1 and 2).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from curation.sources.arc_line import arc_line
from curation.sources.bytestream import AHEAD, ByteStream
from curation.sources.fields import header_end, parse_fields
from curation.sources.inflate import InflatedBytes, OnFault
from curation.sources.read_ahead import BLOCK
from curation.sources.record_end import BlockReader
from curation.sources.record_start import ARC_BEGINS, ARC_SEEN, RECORD_START, WARC, WARC_SEEN

MAX_HEAD = 1 << 16  # bytes of a record's own header
LENGTH = "content_length"  # the deviation of a record whose length is wrong, or missing

_PLAIN_WARC = re.compile(rb"WARC/\d+\.\d+[ \t]*\r?\n")


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
    lenient: tuple[str, ...] = ()  # what violates the standard: `warc_header`, `arc_line`, `content_length`
    cut: bool = False  # the archive ends, or is damaged, before the end of the block


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
    blocks = BlockReader(stream, max_block, total)
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
        block = blocks.take(head.stated, arc)
        if block.fault and not cut:
            on_fault(start, block.fault)
        end = stream.position
        lenient = (*head.lenient, LENGTH) if block.mended else head.lenient
        too_long = block.length > max_block
        yield Record(
            head.kind, head.headers, block.data, start, position, block.length, too_long, lenient, cut=block.cut
        )


def _marker(arc: bool | None) -> re.Pattern[bytes]:
    if arc is None:
        return RECORD_START
    return ARC_SEEN if arc else WARC_SEEN


def _head(stream: ByteStream, arc: bool | None) -> _Head | None:
    """The header that begins here, with the stream moved to its block. None: no record begins here."""
    stop = stream.at + stream.need(MAX_HEAD)
    if version := WARC.match(stream.data, stream.at, stop):
        end = header_end(stream.data, version.end(), stop, WARC_SEEN)
        if end is None:
            return None
        headers = parse_fields(stream.data[version.end() : end.fields])
        plain = end.plain and _PLAIN_WARC.match(stream.data, stream.at, stop)
        stream.at = end.body
        length = _length(headers.get("content-length", ""))
        return _Head(headers.get("warc-type", "").lower(), headers, length, False, () if plain else ("warc_header",))
    if not arc and (arc is False or not ARC_BEGINS.match(stream.data, stream.at, stop)):
        return None
    line = arc_line(stream.data, stream.at, stop)
    if line is None:
        return None
    stream.at = line.end
    url, date, media, stated = (field.decode("utf-8", "replace") for field in line.fields)
    kind = "warcinfo" if url.startswith("filedesc:") else "response"
    headers = {"warc-target-uri": url, "warc-date": date, "content-type": media}
    return _Head(kind, headers, _length(stated), True, () if line.plain else ("arc_line",))


def _length(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


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

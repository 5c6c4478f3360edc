"""Takes the block of a record from the stream, and finds its true end where its Content-Length is wrong.

A length is right if a record, the start of a compressed member or the end of the file follows there, which one
comparison shows. Otherwise the block ends where its HTTP header says, if a record follows there, or else where the next
record begins, before or after the stated length. Such a record begins at the start of a line and names WARC-Type, or it
has all four fields that the standard demands, so a page that mentions `WARC/1.0` is not cut. What lies between the end
of a record (two empty lines, or the length that its HTTP header states too) and the next one is not part of it.

Sources: ISO 28500:2017, sections 4 and 5; Burner and Kahle 1996, "Arc File Format".
"""

import re
from typing import NamedTuple

from curation.sources.arc_line import arc_line
from curation.sources.bytestream import AHEAD, ByteStream, end_of_newlines
from curation.sources.http import parse_response
from curation.sources.read_ahead import BLOCK
from curation.sources.record_start import ARC_SEEN, RECORD_START, WARC, WARC_SEEN

HTTP_HEAD = 1 << 16  # bytes kept of a block that is too long

_END = b"\r\n\r\n"  # after a WARC record's block
# Field lines, also folded ones. No line can be of two kinds, and no quantifier gives back what it took.
_FIELDS = re.compile(rb"(?:(?:[A-Za-z][\w-]*+[ \t]*+:|[ \t]++)[^\r\n]*+(?:\r*+\n|\r)){1,32}+")
_NAME = re.compile(rb"^(WARC-Type|WARC-Record-ID|WARC-Date|Content-Length)[ \t]*:", re.IGNORECASE | re.MULTILINE)
_TYPE = re.compile(rb"[\r\n]WARC-Type[ \t]*:", re.IGNORECASE)
_DEMANDED = 4  # fields of every record: those of _NAME
_ANY = 1 << 62  # bytes, more than any file has
_BREAKS = (b"\n", b"\r", b"")


class RecordBlock(NamedTuple):
    """A record's block (its beginning, if it is too long), its length, and what is wrong with it."""

    data: bytes
    length: int
    fault: str | None = None
    mended: bool = False  # the stated length was wrong, and the end was found
    cut: bool = False  # bytes at its end are missing


class BlockReader:
    """Takes blocks from a stream that stands at their first bytes, and holds up to `max_block` bytes of each. `total`
    is the number of decompressed bytes, if known."""

    def __init__(self, stream: ByteStream, max_block: int, total: int | None) -> None:
        self._stream = stream
        self._max = max_block
        self._total = total
        self._searched = 0  # the position before which no record begins that the stream has not reached

    def take(self, stated: int | None, arc: bool) -> RecordBlock:
        """Moves the stream to the block's end. `stated` is the record's Content-Length."""
        if stated is None:
            return self._up_to_next(stated, arc, "no Content-Length")
        if self._total is not None and self._stream.position + stated > self._total:
            return self._up_to_next(stated, arc, f"Content-Length {stated} goes beyond the end of the file")
        if stated > self._max:
            return self._long(stated, arc)
        after = _next_after(self._stream, stated, arc)
        if after is None:
            return self._mended(stated, self._measured(stated, arc), arc)
        reaches_end = not arc and after - len(_END) < stated  # as far as the empty lines behind the block
        inner = _http_end(self._head()) if reaches_end else None
        if inner == after - len(_END) and _ends_record(self._stream, inner, arc):
            return self._mended(stated, inner, arc)
        return RecordBlock(self._taken(stated), stated)

    def _up_to_next(self, stated: int | None, arc: bool, fault: str) -> RecordBlock:
        """A block whose stated length, if any, says nothing."""
        length = self._measured(None, arc)
        if length is None:
            head = self._long_head()
            length = _skip_to_record(self._stream, _ANY, arc)
            return RecordBlock(head, length, f"{fault}; took {length} bytes, up to the next record")
        cut = not _ends_record(self._stream, length, arc) and self._stream.ends_after(length)
        fault = f"{fault}; took {length} bytes, up to the next record"
        return RecordBlock(self._taken(length), length, fault, mended=stated is not None and not cut, cut=cut)

    def _mended(self, stated: int, length: int | None, arc: bool) -> RecordBlock:
        """The block, of a length that was measured. None: it could not be, so the stated one is kept."""
        if length is None or length == stated:
            return RecordBlock(self._taken(stated), stated)
        cut = length < stated and not _ends_record(self._stream, length, arc) and self._stream.ends_after(length)
        reported = cut and self._stream.cut_by_gap()
        fault = None if reported else f"Content-Length is {stated} but the record ends after {length} bytes"
        return RecordBlock(self._taken(length), length, fault, mended=not cut, cut=cut)

    def _long(self, stated: int, arc: bool) -> RecordBlock:
        """A block that states more than can be held. It is searched for the next record unless its HTTP header states
        the same length, or it holds an archive."""
        head = self._head()
        trusted = _http_end(head) == stated or RECORD_START.match(parse_response(head).body)
        end = None if trusted else self._next_record(arc, self._max + AHEAD)
        if end is not None:
            return self._mended(stated, _without_end(self._stream, end, stated, arc), arc)
        head = self._long_head()
        passed = self._stream.skip(stated) if trusted else _skip_to_record(self._stream, stated, arc)
        short = passed < stated and not self._stream.pass_gaps()
        fault = f"record ends after {passed} of {stated} bytes" if short else None
        return RecordBlock(head, stated, fault, mended=short)

    def _measured(self, stated: int | None, arc: bool) -> int | None:
        """The length of the block; `stated` if no record, boundary or end comes within `max_block` bytes."""
        inner = _http_end(self._head())
        if inner is not None and inner <= self._max and _next_after(self._stream, inner, arc) is not None:
            return inner
        if stated is None:
            end = self._next_record(arc, self._max + AHEAD)
            return None if end is None else _without_end(self._stream, end, None, arc)
        # A record that looks whole is so if no other begins in it; then something else stands before the next one.
        if arc and _ends_record(self._stream, stated, arc):
            end = self._next_record(arc, stated)
            whole = True
        else:
            whole = inner == stated
            end = self._next_record(arc, (stated if whole else self._max) + AHEAD)
        if end is None or (end >= stated and (whole or (not arc and self._other_follows(stated, end)))):
            return stated
        return _without_end(self._stream, end, stated, arc)

    def _other_follows(self, stated: int, end: int) -> bool:
        """Whether something other than the rest of a WARC record stands between the stated end and the next record:
        after two empty lines, bytes that do not end in two empty lines, or a record with a damaged first line."""
        data = self._stream.data
        start = self._stream.at + stated
        stop = self._stream.at + end
        if not data.startswith(_END, start, stop):
            return False
        return not data.endswith(_END, start + len(_END), stop) or _TYPE.search(data, start, stop) is not None

    def _next_record(self, arc: bool, most: int) -> int | None:
        """Distance to the next record, boundary or end; None if none comes within `most` bytes, or, after a search for
        another record, half of what can be held."""
        stream = self._stream
        passed = max(self._searched - stream.position, 0)
        if passed >= min(most, self._max // 2 + AHEAD):
            return None
        size = passed + AHEAD
        while True:
            size = min(2 * size, most)
            have = stream.need(size)
            found = _first_record(stream.data, stream.at + max(passed - AHEAD, 0), stream.at + have, arc)
            if found is not None:
                return found - stream.at
            if have < size:
                return have
            passed = have
            self._searched = stream.position + have
            if size == most:
                return None

    def _head(self) -> bytes:
        """The beginning of the block, with most HTTP headers."""
        return self._stream.data[self._stream.at : self._stream.at + self._stream.need(AHEAD)]

    def _long_head(self) -> bytes:
        """The beginning of a block that is too long, as far as it is kept."""
        return self._stream.data[self._stream.at : self._stream.at + self._stream.need(HTTP_HEAD)]

    def _taken(self, length: int) -> bytes:
        stream = self._stream
        block = stream.data[stream.at : stream.at + (length if length <= self._max else HTTP_HEAD)]
        stream.skip(length)
        return block


def _http_end(head: bytes) -> int | None:
    """The length of a block that begins with `head`, by the Content-Length of its HTTP header; None if none states."""
    response = parse_response(head)
    stated = response.headers.get("content-length", "")
    if not (stated.isascii() and stated.isdigit() and len(stated) < 16):
        return None
    return len(head) - len(response.body) + int(stated)


def _next_after(stream: ByteStream, length: int, arc: bool) -> int | None:
    """Distance to what follows a block of this length: newlines, then a record, a boundary or the end. None: anything
    else follows."""
    have = stream.need(length + AHEAD)
    if have < length:
        return None
    stop = stream.at + have
    after = end_of_newlines(stream.data, stream.at + length, stop)
    marker = ARC_SEEN if arc else WARC_SEEN
    if after == stop or WARC.match(stream.data, after) or marker.match(stream.data, after):
        return after - stream.at
    return None


def _ends_record(stream: ByteStream, length: int, arc: bool) -> bool:
    """Whether a block of this length is followed by the two empty lines that end a WARC record; or, in ARC, by a line
    end and a line that may begin a record."""
    stop = stream.at + stream.need(length + AHEAD)
    end = min(stream.at + length, stop)
    if not arc:
        return stream.data.startswith(_END, end, stop)
    after = end_of_newlines(stream.data, end, stop)
    return after > end and arc_line(stream.data, after, stop) is not None


def _without_end(stream: ByteStream, length: int, stated: int | None, arc: bool) -> int:
    """The length without the line ends that the format puts behind a block; in ARC, one may belong to the block."""
    if arc:
        return length - (length - 1 == stated)
    stop = stream.at + length
    found = next((end for end in (_END, b"\n\n") if stream.data.endswith(end, stream.at, stop)), b"")
    return length - len(found)


def _skip_to_record(stream: ByteStream, size: int, arc: bool) -> int:
    """Moves on by up to `size` bytes, not past a record or boundary; returns by how many."""
    left = size
    while left and not stream.at_boundary():
        want = min(left + AHEAD, BLOCK)
        have = stream.need(want)
        found = _first_record(stream.data, stream.at, stream.at + have, arc)
        if found is not None and found - stream.at < left:
            return size - left + stream.skip(found - stream.at)
        whole = have < want or want < BLOCK
        left -= stream.skip(min(left, have if whole else BLOCK - AHEAD))
        if have < want:
            break
    return size - left


def _first_record(data: bytes, start: int, stop: int, arc: bool) -> int | None:
    """Where in data[start:stop] a header begins."""
    if arc:
        line = ARC_SEEN.search(data, start, stop)
        return line.start() if line else None
    for version in WARC_SEEN.finditer(data, start, stop):
        fields = _FIELDS.match(data, version.end(), stop)
        names = {name.lower() for name in _NAME.findall(fields[0].replace(b"\r", b"\n"))} if fields else set()
        line_start = data[max(version.start() - 1, 0) : version.start()] in _BREAKS
        if len(names) == _DEMANDED or (b"warc-type" in names and line_start):
            return version.start()
    return None

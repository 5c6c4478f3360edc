"""Cuts files of mail into messages: mbox, or one message a file, as in Maildir folders.

A message of an mbox begins at a line of "From ", a sender and a time, above a header. Many programs leave out the blank
line before it, some also the time ("From -" of Netscape, "From 184@xxx" of Gmail's export): then the header must be one
that mail has. Other lines that begin with "From " are text. ">From " at the start of a line loses one ">". Where the
first message states a Content-Length, a separator within the bytes that a message states is text if these bytes end
where a separator or the file's end is. A byte order mark and blank lines may stand first.

Sources: RFC 4155 (mbox), and the four dialects mboxo, mboxrd, mboxcl and mboxcl2 (qmail's manual page mbox.5).
"""

import codecs
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import NamedTuple

from curation.core import storage
from curation.core.protocols import Piece, ReadTally
from curation.sources.read_ahead import BLOCK, open_raw
from curation.sources.tars import unpacked

MARK = b"From "
HEAD = 64 << 10  # bytes by which a file is judged, and of a head in which Content-Length is looked for
LONGEST = 1 << 10  # bytes of a separator with the blank line before it and the name of the header after it
BLANK = b"\n\n"
_FIRST = re.compile(rb"(?:\xef\xbb\xbf)?\s*")
_HEADER = re.compile(rb"[!-9;-~]{1,80}[ \t]*:")
_SEPARATOR = re.compile(rb"From ([^\r\n]{1,400})\r?\n(?=>?([A-Za-z][\w-]{0,80})[ \t]*:|>From )")
_ASCTIME = re.compile(
    rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +(?:[A-Z][a-z]{2} +\d{1,2}|\d{1,2} +[A-Z][a-z]{2})(?: +\d{4})? +\d{1,2}:\d\d"
)
_TIME = re.compile(rb"\d:\d\d")
_SENDER = re.compile(rb"(?:-|\S{1,200}@\S{1,200}|\S{1,100} at \S{1,100}\.\w{1,20})(?=\s|$)")
_YEAR = re.compile(rb"\b\d{4}\b")
_OF_MAIL = re.compile(
    rb"return-path|received|from|to|cc|date|subject|message-id|mime-version|delivered-to|sender|reply-to|status"
    rb"|references|in-reply-to|envelope-to|newsgroups|path|(?:x|content|list|resent|arc|dkim)-.*|authentication-results",
    re.IGNORECASE,
)
_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,9})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)


class RawMessage(NamedTuple):
    """A message as it is stored, None if it is too long, and its offset in the decompressed file."""

    offset: int
    content: bytes | None


def raw_messages(piece: Piece, tally: ReadTally, most: int) -> Iterator[RawMessage]:
    """Those that begin in the piece; one of more than `most` bytes is not held. Raises InputError if there is no such
    file."""
    ranged = (piece.start, piece.stop) != (0, -1) and _has_ranges(storage.read_start(piece.path, HEAD))
    if piece.start and not ranged:
        return  # the first range has it all
    start = max(piece.start - 3, 0)  # a line end and a blank line may stand before the range
    with closing(open_raw(piece.path, start)) as raw:
        if start:
            mbox = _Mbox(raw.read, b"", start, most)
        else:
            stream = unpacked(raw, piece.path, tally)
            first = stream.read(HEAD)
            begin = _begin(first)
            if _HEADER.match(first, begin):
                content = first[begin:] + stream.read(max(most + 1 - len(first), 0))
                yield RawMessage(0, content if len(content) <= most else None)
                return
            mbox = _Mbox(stream.read, first, 0, most)
        for message in mbox.messages(piece.stop if ranged else -1):
            if message.offset >= piece.start:
                yield message


def _begin(first: bytes) -> int:
    """Where a file's first line with anything but a byte order mark begins."""
    match = _FIRST.match(first)
    return match.end() if match else 0


def _has_ranges(first: bytes) -> bool:
    """Whether a file that begins so can be read from any byte on: an mbox in which no lengths count, not compressed."""
    return first.startswith(MARK, _begin(first)) and _stated(first, _begin(first)) < 0


def _stated(data: bytes | bytearray, begin: int) -> int:
    """Where a message ends by the Content-Length in its head, -1 where it has none."""
    end = _HEAD_END.search(data, begin, begin + HEAD)
    length = end and _LENGTH.search(data, begin, end.start() + 1)
    return end.end() + int(length[1]) if end and length else -1


class _Mbox:
    """The part of an mbox that is held, from byte `start` of it on, of which `first` has been read."""

    def __init__(self, read: Callable[[int], bytes], first: bytes, start: int, most: int) -> None:
        self._read = read
        self._held = bytearray() if start else bytearray(BLANK)
        self._base = start - len(self._held)  # offset of held[0]
        self._held += (BLANK + b"\n" + first[3:]) if first.startswith(codecs.BOM_UTF8) else first
        self._most = most
        self._ended = False
        self._lengths = _stated(first, _begin(first)) >= 0

    def messages(self, stop: int) -> Iterator[RawMessage]:
        """Those whose separators begin before `stop`, -1: all. What stands before the first one is a message, too, if
        it is at the file's start and not blank."""
        held = self._held
        offset = -1 if self._base >= 0 else 0  # of the open message, -1: there is none
        begin = 0 if offset else len(BLANK)  # of its content
        stated = seen = 0
        while not self._ended:
            self._fill(len(held) + 1)
            for separator, following in _separators(held, seen):
                if separator < stated:
                    continue
                yield from self._message(offset, begin, separator)
                offset = self._base + separator
                begin = following
                if 0 <= stop <= offset:
                    return
                stated = self._true_end(begin) if self._lengths else 0
            if offset >= 0 and len(held) - begin > self._most + LONGEST:
                yield RawMessage(offset, None)
                offset = -1
            seen = max(len(held) - LONGEST, begin - 1, 0)
            if offset < 0 and 0 <= stop <= self._base + seen:
                return
            cut = min(seen, begin) if offset >= 0 else seen
            del held[:cut]
            self._base += cut
            seen, stated, begin = seen - cut, stated - cut, max(begin - cut, 0)
        yield from self._message(offset, begin, len(held))

    def _fill(self, least: int) -> None:
        while len(self._held) < least and not self._ended:
            chunk = self._read(BLOCK)
            self._held += chunk
            self._ended = not chunk

    def _true_end(self, begin: int) -> int:
        """Where the message that begins here ends by what it states, if a separator or the file's end is there."""
        self._fill(begin + HEAD)
        end = _stated(self._held, begin)
        if not begin <= end <= begin + self._most:
            return 0
        self._fill(end + LONGEST)
        rest = self._held[end : end + LONGEST].lstrip(b"\r\n")
        return end if end <= len(self._held) and (not rest or rest.startswith(MARK)) else 0

    def _message(self, offset: int, begin: int, stop: int) -> Iterator[RawMessage]:
        if offset < 0 or (offset == 0 and self._base < 0 and not self._held[begin:stop].strip()):
            return
        content = bytes(self._held[begin:stop]) if stop - begin <= self._most else None
        if content and b">From " in content:
            content = _ESCAPED.sub(rb"\1", content)
        yield RawMessage(offset, content)


def _separators(held: bytearray, at: int) -> Iterator[tuple[int, int]]:
    """Where each line that parts messages begins, and where it ends."""
    while (at := held.find(b"\n" + MARK, at) + 1) > 0:
        match = _SEPARATOR.match(held, at)
        if match and _parts(match, held[max(at - 3, 0) : at].replace(b"\r", b"").endswith(BLANK)):
            yield at, match.end()


def _parts(match: re.Match[bytes], below_blank: bool) -> bool:
    """Whether it is a separator: by its date, or by its sender or time and a header that mail has."""
    line, header = match.groups()
    if _ASCTIME.search(line):
        return True
    if header is not None and not _OF_MAIL.fullmatch(header):
        return False
    sender = _SENDER.match(line)
    if sender and (not line[sender.end() :].strip() or _YEAR.search(line, sender.end())):
        return True
    return below_blank and _TIME.search(line) is not None

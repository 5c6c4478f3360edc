"""Cuts files of mail into messages: mbox, or one message a file, as in Maildir folders.

A message of an mbox begins at a line of "From ", a sender and a time, after a blank line and before a header; other
lines that begin with "From " are text, as some programs write them. ">From " at the start of a line loses its ">".

Source: RFC 4155 (mbox), and the quoting of "mboxrd" (qmail's manual page mbox.5).
"""

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import NamedTuple

from curation.core import storage
from curation.core.protocols import Piece, ReadTally
from curation.sources.read_ahead import BLOCK, open_raw
from curation.sources.tars import unpacked

MARK = b"From "
LONGEST = 1 << 10  # bytes of a separator with the blank line before it and the name of the header after it
BLANK = b"\n\n"
_SEPARATOR = re.compile(rb"From [^\r\n]{1,300}?\d:\d\d[^\r\n]{0,100}\r?\n(?=>?[A-Za-z][\w-]{0,80}:|>From )")
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)


class RawMessage(NamedTuple):
    """A message as it is stored, None if it is too long, and its offset in the decompressed file."""

    offset: int
    content: bytes | None


def raw_messages(piece: Piece, tally: ReadTally, most: int) -> Iterator[RawMessage]:
    """Those that begin in the piece; one of more than `most` bytes is not held. Raises InputError if there is no such
    file."""
    ranged = (piece.start, piece.stop) != (0, -1) and storage.read_start(piece.path, len(MARK)) == MARK
    if piece.start and not ranged:
        return  # it is one message or, whatever its name, compressed: the first range has it all
    start = max(piece.start - 3, 0)  # a line end and a blank line may stand before the range
    with closing(open_raw(piece.path, start)) as raw:
        stream = unpacked(raw, piece.path, tally) if start == 0 else None
        if stream and stream.peek(len(MARK))[: len(MARK)] != MARK:
            content = stream.read(most + 1)
            yield RawMessage(0, content if len(content) <= most else None)
            return
        for message in _messages(stream.read if stream else raw.read, start, piece.stop if ranged else -1, most):
            if message.offset >= piece.start:
                yield message


def _messages(read: Callable[[int], bytes], start: int, stop: int, most: int) -> Iterator[RawMessage]:
    """Those of an mbox whose separators are in the bytes [start, stop), stop -1: to the end."""
    held = bytearray() if start else bytearray(BLANK)
    base = start - len(held)  # offset of held[0]
    offset = -1  # of the open message, -1: there is none
    begin = 0  # of its content in `held`
    seen = 0
    ended = False
    while not ended:
        chunk = read(BLOCK)
        held += chunk
        ended = not chunk
        for separator, following in _separators(held, seen):
            if offset >= 0:
                yield RawMessage(offset, _content(held, begin, separator, most))
            offset = base + separator
            begin = following
            if 0 <= stop <= offset:
                return
        if offset >= 0 and len(held) - begin > most + LONGEST:
            yield RawMessage(offset, None)
            offset = -1
        seen = max(len(held) - LONGEST, begin - 1, 0)
        if offset < 0 and 0 <= stop <= base + seen:
            return
        cut = min(seen, begin) if offset >= 0 else seen
        del held[:cut]
        base += cut
        seen -= cut
        begin = max(begin - cut, 0)
    if offset >= 0:
        yield RawMessage(offset, _content(held, begin, len(held), most))


def _separators(held: bytearray, at: int) -> Iterator[tuple[int, int]]:
    """Where each line that parts messages begins, and where it ends."""
    while (at := held.find(b"\n" + MARK, at) + 1) > 0:
        blank = held[max(at - 3, 0) : at].replace(b"\r", b"")[-2:] == BLANK
        match = _SEPARATOR.match(held, at) if blank else None
        if match:
            yield at, match.end()


def _content(held: bytearray, begin: int, stop: int, most: int) -> bytes | None:
    if begin < 0 or stop - begin > most:
        return None
    content = bytes(held[begin:stop])
    return _ESCAPED.sub(rb"\1", content) if b">From " in content else content

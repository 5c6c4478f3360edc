"""Header fields as WARC and HTTP share them: `Name: value` lines, continuation lines, names in any case.

They are read as browsers and warcio do: a line ends with CR LF, LF or CR, with any number of CRs before the LF; an
empty line ends the header. Where writers disagree on what an empty line is, what follows it decides.

Source: RFC 9112 sections 2.2 and 5 (lenient line ends, folded lines), RFC 9110 section 5.3 (a field's values).
"""

import re
from typing import NamedTuple

# Each takes a whole run of line ends at once, so a header is read in one pass whatever it holds.
_BREAK = re.compile(rb"[\r\n](?:[ \t\r\n]*[\r\n])?")  # line ends, and lines of nothing but spaces and tabs
_EMPTY_LINE = re.compile(rb"(?>\r*\n|\r)[ \t]*(?:\r*\n|\r)")
_PLAIN = re.compile(rb"\r*\n\r*\n")
_END = re.compile(rb"\n\r?\n")
_ODD = re.compile(rb"\r(?!\n)|\n[ \t]+\r?\n|\n\r?\n(?!\Z)")
LISTS = ("content-type", "x-robots-tag", "content-signal", "content-usage", "link")  # may be sent several times
_FIELD = re.compile(rb"[A-Za-z][\w\-]{0,255}[ \t]*:")


class HeaderEnd(NamedTuple):
    """Where the last field ends, where the rest begins, and whether all line ends conform to the standard."""

    fields: int
    body: int
    plain: bool


def header_end(data: bytes, start: int, stop: int, other: re.Pattern[bytes] | None = None) -> HeaderEnd | None:
    """The end of a header whose first line ends at `start`, in data[:stop]; None if it has no end there, or none before
    the first line of another header, which `other` matches.

    The first empty line ends the header, with two exceptions, if a field and another empty line follow: a line of
    spaces or bare CRs, or one directly after the first line. Where LFs end lines, a line of bare CRs ends the header
    only before a tag.
    """
    end = _END.search(data, start, stop)
    if end and end.start() > start + 1 and not _ODD.search(data, start, end.end()):
        return HeaderEnd(end.start(), end.end(), plain=True)
    following = other.search(data, start, stop) if other else None
    return _odd_end(data, start, following.start() if following else stop)


def _odd_end(data: bytes, start: int, stop: int) -> HeaderEnd | None:
    doubtful: tuple[int, int] | None = None
    line_feed = False
    for line_break in _BREAK.finditer(data, start, stop):
        line_feed = line_feed or b"\n" in line_break[0]
        empty = _EMPTY_LINE.match(data, line_break.start(), line_break.end())
        if empty is None:
            continue
        if line_break.start() > start and _PLAIN.match(data, empty.start(), empty.end()):
            return _ended(data, start, empty.span())
        in_value = line_feed and b"\n" not in empty[0] and data[line_break.end() : line_break.end() + 1] != b"<"
        if not in_value and not _FIELD.match(data, line_break.end(), stop):
            return _ended(data, start, empty.span())
        doubtful = doubtful or empty.span()
    return _ended(data, start, doubtful) if doubtful else None


def _ended(data: bytes, start: int, empty: tuple[int, int]) -> HeaderEnd:
    return HeaderEnd(*empty, plain=not _ODD.search(data, start, empty[1]))


def parse_fields(lines: bytes) -> dict[str, str]:
    """Lower-case name -> value of its first occurrence that has one, stripped; for LISTS, all values, with commas.

    A line that begins with a space or tab continues the value before it; a line without a colon is ignored. Bytes that
    are not UTF-8 are read as Latin-1.
    """
    try:
        text = lines.decode()
    except UnicodeDecodeError:
        text = lines.decode("latin-1")
    fields: dict[str, list[str]] = {}  # pieces of each value, joined once at the end
    into: str | None = None  # the field that a folded line continues; "" if its value is not kept
    for line in text.replace("\r", "\n").split("\n"):
        if not line:
            continue
        if into is not None and line[0] in " \t":
            if into and (more := line.strip()):
                fields[into].append(more)
            continue
        name, colon, value = line.partition(":")
        if not colon:
            into = None
            continue
        into = name.strip().lower()
        value = value.strip()
        before = fields.get(into)
        if not before:
            fields[into] = [value] if value else []
        elif into in LISTS and value:
            before[-1] += ","
            before.append(value)
        else:
            into = ""
    return {name: " ".join(parts) for name, parts in fields.items()}

"""Header fields as WARC and HTTP share them: `Name: value` lines, continuation lines, names in any case.

Read as browsers and warcio read them: a line ends with CR LF, LF or CR, however many CRs stand before the LF; an empty
line ends the header. Where writers disagree on what an empty line is, what follows it decides.

Source: RFC 9112 sections 2.2 and 5 (leniently read line ends, folded lines), RFC 9110 section 5.3 (a field's values).
"""

import re
from typing import NamedTuple

# Each matches what it begins with to its end, so that a header is read in one pass whatever stands in it.
_BREAK = re.compile(rb"[\r\n](?:[ \t\r\n]*[\r\n])?")  # line ends, and lines of nothing but spaces and tabs
_EMPTY_LINE = re.compile(rb"(?>\r*\n|\r)[ \t]*(?:\r*\n|\r)")
_PLAIN = re.compile(rb"\r*\n\r*\n")
_END = re.compile(rb"\n\r?\n")
_ODD = re.compile(rb"\r(?!\n)|\n[ \t]+\r?\n|\n\r?\n(?!\Z)")
_FIELD = re.compile(rb"[A-Za-z][\w\-]{0,255}[ \t]*:")


class HeaderEnd(NamedTuple):
    """Where the last field ends, where what follows the header begins, and whether all lines end as they should."""

    fields: int
    body: int
    plain: bool


def header_end(data: bytes, start: int, stop: int) -> HeaderEnd | None:
    """The end of a header whose first line ends at `start`, in data[:stop]; None where it has no end there.

    The first empty line is the end. One of spaces or bare CRs, or directly behind the first line, is none where a
    field follows it and another empty line that; nor is one of bare CRs where LFs end lines, but before a tag.
    """
    end = _END.search(data, start, stop)
    if end and end.start() > start + 1 and not _ODD.search(data, start, end.end()):
        return HeaderEnd(end.start(), end.end(), plain=True)
    return _odd_end(data, start, stop)


def _odd_end(data: bytes, start: int, stop: int) -> HeaderEnd | None:
    doubted: HeaderEnd | None = None
    line_feed = False
    for found in _BREAK.finditer(data, start, stop):
        line_feed = line_feed or b"\n" in found[0]
        empty = _EMPTY_LINE.match(data, found.start(), found.end())
        if empty is None:
            continue
        end = HeaderEnd(empty.start(), empty.end(), not _ODD.search(data, start, empty.end()))
        if found.start() > start and _PLAIN.match(data, empty.start(), empty.end()):
            return end
        in_value = line_feed and b"\n" not in empty[0] and data[found.end() : found.end() + 1] != b"<"
        if not in_value and not _FIELD.match(data, found.end(), stop):
            return end
        doubted = doubted or end
    return doubted


def parse_fields(lines: bytes) -> dict[str, str]:
    """Lower-case name -> value of its first occurrence that has one, stripped; of Content-Type, all, with commas.

    A line that begins with a space or tab goes on with the value before it, where there is one; a line without a
    colon is passed over. Bytes that are not UTF-8 are read as Latin-1.
    """
    try:
        text = lines.decode()
    except UnicodeDecodeError:
        text = lines.decode("latin-1")
    fields: dict[str, list[str]] = {}  # the parts of each value: joined once, however many lines it is folded into
    into: str | None = None  # the field that a folded line goes on with; "" where its value is not kept
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
        into, value = name.strip().lower(), value.strip()
        before = fields.get(into)
        if not before:
            fields[into] = [value] if value else []
        elif into == "content-type" and value:
            before[-1] += ","
            before.append(value)
        else:
            into = ""
    return {name: " ".join(parts) for name, parts in fields.items()}

"""Reads the line that begins a record in an ARC archive.

Source: Burner and Kahle 1996, "Arc File Format" (versions 1 and 2).
"""

import re
from typing import NamedTuple

# Quantifiers are possessive (`+`), because backtracking over garbage would take a million times as long.
_ARC_LINE = re.compile(rb"([A-Za-z][\w+.\-]*+:[^\r\n]{0,8000}+)(\r*+\n)")
_IP = re.compile(rb"\d{1,3}(?:\.\d{1,3}){3}|[\da-fA-F]*:[\da-fA-F:]+")
_WORD = re.compile(rb"\w{0,40}")
_LENGTH = re.compile(rb"-?\w{1,40}")
_ARC_DATE = re.compile(rb"\d{8,18}")


class ArcLine(NamedTuple):
    """url, date, type and length as written; where the line ends; and whether it is as the standard has it."""

    fields: tuple[bytes, bytes, bytes, bytes]
    end: int
    plain: bool


def arc_line(data: bytes, start: int, stop: int) -> ArcLine | None:
    """The line at `start` in data[:stop]; None if it begins no record."""
    line = _ARC_LINE.match(data, start, stop)
    if line is None:
        return None
    conforming = _conforming(line[1]) if len(line[2]) <= 2 else None
    fields = conforming or _odd_fields(line[1])
    return ArcLine(fields, line.end(), conforming is not None) if fields else None


def _conforming(line: bytes) -> tuple[bytes, bytes, bytes, bytes] | None:
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

"""Where in its text a value stands: in a URL, in a formula, or in code.

A URL reaches from its scheme or `www.` to white space, a quote, an angle bracket or a character beyond ASCII. A formula
stands between `$` signs that hold one of TeX's own signs, or between `\\(` or `\\[` and its end, within one paragraph.
Code stands between two back quotes in one line, or between lines that begin with three.
"""

import re
from collections.abc import Iterable

from curation.models.pii.overlaps import PiiSpan

IN_URL = 1
IN_FORMULA = 2
IN_CODE = 4
_NEAR = 2000  # bytes on either side of a value in which the ends of what holds it are looked for
_URL_BACKWARDS = re.compile(rb'[^\x00-\x20\x7f-\xff"<>]*?(?://:|\.[wW]{3})')
_TEX = re.compile(rb"[\\^_={}]")
_FENCE = b"\n```"
_PARAGRAPH = b"\n\n"


def surroundings(spans: Iterable[PiiSpan], content: bytes) -> list[int]:
    """IN_URL, IN_FORMULA and IN_CODE of each span of one text, by start."""
    flags = []
    fences = 0
    read = 0
    for span in spans:
        start = span.start
        fences += content.count(_FENCE, read, start)
        read = max(read, start - len(_FENCE) + 1)
        flag = IN_URL if _URL_BACKWARDS.match(content[max(start - _NEAR, 0) : start][::-1]) else 0
        if _between_dollars(content, start, span.end) or _between_brackets(content, start):
            flag |= IN_FORMULA
        first = content.startswith(_FENCE[1:]) and start >= len(_FENCE) - 1
        if (fences + first) % 2 == 1 or _between_backquotes(content, start, span.end):
            flag |= IN_CODE
        flags.append(flag)
    return flags


def _between_dollars(content: bytes, start: int, stop: int) -> bool:
    left = content.rfind(b"$", max(start - _NEAR, 0), start)
    right = content.find(b"$", stop, stop + _NEAR) if left >= 0 else -1
    if right < 0 or content[left + 1] <= ord(" ") or content[right - 1] <= ord(" "):
        return False
    if _PARAGRAPH in content[left : start + 1] or _PARAGRAPH in content[stop : right + 1]:
        return False
    held = _TEX.search(content, left, start) or _TEX.search(content, stop, right)
    return held is not None and not content[right + 1 : right + 2].isdigit()


def _between_brackets(content: bytes, start: int) -> bool:
    """Whether the last of TeX's brackets before a value, in its paragraph, opens."""
    first = max(start - _NEAR - 1, 0)
    first = max(first, content.rfind(_PARAGRAPH, first + 1, start + 1) + 1)
    opened = max(content.rfind(sign, first, start) for sign in (b"\\(", b"\\["))
    closed = max(content.rfind(sign, first, start) for sign in (b"\\)", b"\\]"))
    return opened > closed


def _between_backquotes(content: bytes, start: int, stop: int) -> bool:
    first = max(content.rfind(b"\n", max(start - _NEAR, 0), start), start - _NEAR, 0)
    if content.count(b"`", first, start) % 2 == 0:
        return False
    last = content.find(b"\n", stop, stop + _NEAR)
    return content.find(b"`", stop, stop + _NEAR if last < 0 else last) >= 0

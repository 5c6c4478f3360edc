"""Which formulas need a paragraph of their own: trafilatura drops text that stands in a box without one."""

import re

_NEAR = 600  # bytes looked at on either side
_BOX = rb"(?:div|center|section|article|figure|main)"
_BEFORE = re.compile(rb"<" + _BOX + rb"\b[^<>]*>\s*(?:<span\b[^<>]*>\s*)*\Z", re.IGNORECASE)
_AFTER = re.compile(rb"\s*(?:</span\s*>\s*)*</" + _BOX + rb"\b", re.IGNORECASE)


def needs_paragraph(page: bytes, start: int, end: int, *, display: bool) -> bool:
    """Whether the formula page[start:end] begins a box, and, unless it is displayed, also ends it."""
    near = page[max(0, start - _NEAR) : start].rstrip()
    if not near.endswith(b">") or not _BEFORE.search(near):
        return False
    return display or _AFTER.match(page, end, end + _NEAR) is not None

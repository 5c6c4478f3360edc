"""Telephone numbers that continue a list: what stands after one, a comma and the like, and has no code of an area."""

import re
from collections.abc import Sequence

from curation.models.pii.kinds import PHONE
from curation.models.pii.number_form import digits, is_other
from curation.models.pii.overlaps import PiiSpan, SpanSet

_REACH = 64  # bytes after a number that are read
_AND = "or|and|und|oder|et|ou|y|o|e|i|lub|oraz|или|и|або|ή|και|en|of|och|eller|og|tai|ja"
_NEXT = re.compile(
    rf"(?:[ \u00a0]{{0,2}}[,;、，；/|]\n?[ \u00a0]{{0,2}}"
    rf"|[ \u00a0]{{1,2}}(?:(?:{_AND})[ \u00a0]{{1,2}})?|\x01?(?:[或和及]|または)\x01?)"
    r"(?P<value>\d{2,8}(?:[- ]\d{2,8}){1,3}|\d{7,11})(?![^\W\u1100-\uffff]|[%°€£$]|[.,:-]\d)"
)
_ENDINGS = re.compile(r"(?:[ \u00a0]?/[ \u00a0]?\d{2,4}(?![\w.,:-])){1,8}")  # of 22 355-04-71/73/74
# digits
_LEAST = 6
_MOST = 12


def continued(spans: Sequence[PiiSpan], content: bytes) -> list[PiiSpan]:
    """The spans of one text, by start, and those of the numbers that go on from its telephone numbers."""
    phones = [span for span in spans if span.kind == PHONE]
    touched = SpanSet(spans)
    found = list(spans)
    for span in phones:
        while (after := _after(span, content)) and not touched.has(after.start, after.end):
            touched.add(after.start, after.end)
            found.append(after)
            span = after
    return sorted(found, key=lambda span: (span.start, span.end, span.kind))


def _after(span: PiiSpan, content: bytes) -> PiiSpan | None:
    """The number, or the other endings of the same one, that a list goes on with."""
    text = content[span.end : span.end + _REACH].decode("utf-8", "ignore")
    ends = _ENDINGS.match(text)
    if ends:
        return PiiSpan(PHONE, span.end, span.end + len(ends[0].encode()), span.score)
    match = _NEXT.match(text)
    if match is None or not _LEAST <= digits(match["value"]) <= _MOST or is_other(match["value"]):
        return None
    first, last = (span.end + len(text[:at].encode()) for at in match.span("value"))
    return PiiSpan(PHONE, first, last, span.score)

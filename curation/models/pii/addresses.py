"""E-mail addresses that Presidio finds with what stands before them without a blank, or that are none but for that.

Its pattern takes letters of every script, and signs such as `=`, for a part of the name in an address. But a name in a
script other than Latin is a word of the text where the domain is in ASCII, as in Chinese, and what ends with `=` is the
name of a parameter.
"""

import unicodedata
from collections.abc import Sequence

from curation.models.pii.overlaps import PiiSpan


def without_words(spans: Sequence[PiiSpan], content: bytes) -> list[PiiSpan]:
    """The spans of one text, in which addresses begin after the last such sign; without those that end with it, such as
    Рейтинг@Mail.ru."""
    kept = []
    for span in spans:
        value = content[span.start : span.end]
        if span.kind == "email" and (b"=" in value or not value.isascii()):
            name, at, domain = value.decode("utf-8", "replace").rpartition("@")
            own = _own(name, is_latin=domain.isascii())
            if not own and at:
                continue
            span = span._replace(start=span.start + len(name.encode()) - len(own.encode()))
        kept.append(span)
    return kept


def _own(name: str, *, is_latin: bool) -> str:
    """What follows the last `=` and, where the name `is_latin`, the last letter that is not."""
    for at in range(len(name) - 1, -1, -1):
        foreign = name[at].isalpha() and not unicodedata.name(name[at], "").startswith("LATIN")
        if name[at] == "=" or (is_latin and foreign):
            return name[at + 1 :]
    return name

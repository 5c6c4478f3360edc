"""E-mail addresses that hold a word which stands before them without a blank, as in Chinese, or are none for one.

Presidio's pattern takes letters of every script for the name in an address. A name in a script other than Latin is a
word of the text where the domain is in ASCII.
"""

import unicodedata
from collections.abc import Sequence

from curation.models.pii.overlaps import Span


def without_words(spans: Sequence[Span], content: bytes) -> list[Span]:
    """The spans of one text, of which addresses begin after the last such letter; without one that ends with it, such as
    Рейтинг@Mail.ru."""
    kept = []
    for span in spans:
        if span.kind == "email" and not content[span.start : span.end].isascii():
            name, at, domain = content[span.start : span.end].decode("utf-8", "replace").rpartition("@")
            own = _own(name) if domain.isascii() else name
            if not own and at:
                continue
            span = span._replace(start=span.start + len(name.encode()) - len(own.encode()))
        kept.append(span)
    return kept


def _own(name: str) -> str:
    """What follows the last letter that is not Latin."""
    for at in range(len(name) - 1, -1, -1):
        if name[at].isalpha() and not unicodedata.name(name[at], "").startswith("LATIN"):
            return name[at + 1 :]
    return name

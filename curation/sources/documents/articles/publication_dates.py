"""Finds the day on which an article came out, among the dates that its front gives.

A full date beats one without its day, and that beats a year. Among dates that say as much, the first counts. Days on
which a manuscript was received or a file made are left out. The day on which PubMed Central released a copy counts if
no other date says that the article came out before.
"""

import re
from calendar import monthrange
from collections.abc import Iterator

from curation.sources.dates import MONTHS
from curation.sources.documents.articles.elements import Element, first, words_of

_KINDS = ("pub-type", "date-type")
_NO_PUBLICATION = re.compile(r"receiv|accept|submit|created|archiv|correct|retract|revis|rev-", re.IGNORECASE)
_RELEASE = re.compile(r"pmc-?release", re.IGNORECASE)
_ISO = re.compile(r"(\d{4})(?:-(\d\d?))?(?:-(\d\d?))?(?![\d-])")


def publication_date(meta: Element | None) -> str | None:
    """ISO 8601, as far as it is stated; None for none."""
    stated = list(_dates(meta)) if meta is not None else []
    published = [date for kind, date in stated if not _RELEASE.search(kind)]
    earliest = min(published, default="9")
    dates = published + [date for kind, date in stated if _RELEASE.search(kind) and date[: len(earliest)] <= earliest]
    return min(dates, key=lambda date: (-len(date), date), default=None)


def _dates(meta: Element) -> Iterator[tuple[str, str]]:
    for element in meta.iterfind("{*}pub-date"):
        kind = " ".join(element.get(name, "") for name in _KINDS)
        date = _date(element)
        if date and not _NO_PUBLICATION.search(kind):
            yield kind, date


def _date(element: Element) -> str | None:
    year, month, day = (words_of(first(element, name)) for name in ("year", "month", "day"))
    if not year and (iso := _ISO.match(element.get("iso-8601-date", "") or words_of(first(element, "string-date")))):
        year, month, day = (part or "" for part in iso.groups())
    if re.fullmatch(r"[12]\d{3}", year, re.ASCII) is None:
        return None
    number = _number(month) or (MONTHS.index(month[:3].lower()) + 1 if month[:3].lower() in MONTHS else 0)
    if not 1 <= number <= 12:
        return year
    valid = 1 <= _number(day) <= monthrange(int(year), number)[1]
    return f"{year}-{number:02}-{_number(day):02}" if valid else f"{year}-{number:02}"


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"\d{1,2}", text, re.ASCII) else 0

"""Numbers that Presidio takes for personal data although their form or the words before them say what they are.

Each rule is a pattern for the value, or for the text right before or after it. Chosen on one half of the marked texts
of `benchmarks/pii`, by the hash of their ids, and on nothing else.
"""

import re
from collections.abc import Sequence
from datetime import date

from curation.models.pii.overlaps import Span, Touched

_NEAR = 48  # bytes before and after a value that are read
_STRONGER = frozenset(("ip", "credit_card", "iban", "uuid", "mac_address", "email"))
_DATE = re.compile(r"[\[(]?(\d{1,4})([./-]) ?(\d{1,2})\2 ?(\d{1,4})(?:\D.*)?")
_RANGE = re.compile(r"[\[(]?(\d{1,4}) ?[-–] ?(\d{1,4})[\])]?")
_CASE = re.compile(r"\d{3,6}/\d{2}")
_ROUND = re.compile(r"\d{1,3}(?:[., ] ?\d{3})* ?[., ]? ?000")
_MONEY_BEFORE = re.compile(r"(?:[$€£¥₽]|\b(?:USD|EUR|GBP|CHF|SEK|NOK|DKK|PLN|RUB|JPY|CNY|INR))\s?$")
_MONEY_AFTER = re.compile(r"\s?(?:[€£¥₽%]|(?:USD|EUR|GBP|CHF|SEK|NOK|DKK|PLN|RUB|JPY|CNY|INR|zł|kr)\b)")
_CODE_BEFORE = re.compile(r"(?<![^\W_])(?!(?:tel|phone|fax|mobile|cell|call|home|work|office)-)[^\W\d_]{2,}[-_]$", re.I)
_NAMED = (
    "license licence plate card customer document order invoice tax account acct reference application transaction "
    "policy passport serial tracking imei isbn issn doi ssn pmid case ticket incident sku npi mrn"
)
_NAME_BEFORE = re.compile(
    rf"\b(?:{'|'.join(_NAMED.split())})\W{{0,3}}(?:(?:no|nr|num|number|id|ids|code|is)\b\W{{0,3}}){{0,3}}$", re.I
)
_NUMBER_BEFORE = re.compile(r"\(no\. ?$", re.I)
_VERSION_BEFORE = re.compile(r"(?:\b(?:v|ver|version|release|build|firmware|sdk|driver)[\s.:]*|[§.])$", re.I)
_IMEI_BEFORE = re.compile(r"\b(?:imei|isbn|issn|ean|gtin|upc)\W{0,3}$", re.I)
_MOST_DIGITS = 15  # of a telephone number (ITU-T E.164)


def without_other_numbers(spans: Sequence[Span], content: bytes) -> list[Span]:
    """The spans of one text but telephone numbers that are dates, ranges, amounts, numbers of something else, or part
    of a stronger value, and cards that are an IMEI or ISBN."""
    stronger = Touched(span for span in spans if span.kind in _STRONGER and span.score >= 0.5)
    kept = []
    for span in spans:
        if span.kind == "phone" and (stronger.has(span.start, span.end) or _is_other(*_around(span, content))):
            continue
        if span.kind == "credit_card" and _IMEI_BEFORE.search(_around(span, content)[0]):
            continue
        kept.append(span)
    return kept


def without_versions(spans: Sequence[Span], content: bytes) -> list[Span]:
    """The spans of one text but IP addresses that are versions: after `v` or such a word, or in a longer number."""
    return [span for span in spans if span.kind != "ip" or not _is_version(*_around(span, content))]


def _around(span: Span, content: bytes) -> tuple[str, str, str]:
    """The text before a value, the value, and the text after it."""
    bounds = ((max(span.start - _NEAR, 0), span.start), (span.start, span.end), (span.end, span.end + _NEAR))
    before, value, after = (content[start:stop].decode("utf-8", "replace") for start, stop in bounds)
    return before, value, after


def _is_other(before: str, value: str, after: str) -> bool:
    if value.startswith(("+", "(+")):
        return False
    if sum(char.isdecimal() for char in value) > _MOST_DIGITS or _is_date(value) or _CASE.fullmatch(value):
        return True
    if (ends := _RANGE.fullmatch(value)) and len(ends[1]) == len(ends[2]) and ends[1] < ends[2]:
        return True
    if _ROUND.fullmatch(value) or _MONEY_BEFORE.search(before) or _MONEY_AFTER.match(after):
        return True
    return any(one.search(before) for one in (_CODE_BEFORE, _NAME_BEFORE, _NUMBER_BEFORE))


def _is_date(value: str) -> bool:
    """Whether a value begins with a date, in any order of day and month."""
    found = _DATE.fullmatch(value)
    if not found:
        return False
    first, middle, last = (int(found[k]) for k in (1, 3, 4))
    years = (first, last) if len(found[1]) == 4 else (last, first)
    year = years[0] if years[0] > 99 else 2000 + years[0]
    return any(_is_day(year, month, day) for month, day in ((middle, years[1]), (years[1], middle)))


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        return 1800 <= date(year, month, day).year < 2200
    except ValueError:
        return False


def _is_version(before: str, value: str, after: str) -> bool:
    return ":" not in value and bool(_VERSION_BEFORE.search(before) or re.match(r"\.\d", after))

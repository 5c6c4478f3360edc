"""Whether digits are written as a telephone number is, or as a date, an amount, a range or a number of something else.

Of numbers without a label and a plus sign, only the form can tell. N digits in groups, with what stands between.
"""

import re
from datetime import date
from types import MappingProxyType

# digits of a number without a label; of any (ITU-T E.164)
LEAST = 7
MOST = 15
_LEAST_ONCE = 8  # digits of a number of two groups
_DATE = re.compile(r"[\[(]?(\d{1,4})([./-]) ?(\d{1,2})\2 ?(\d{1,4})(?:\D.*)?")
_FULL_DATE = re.compile(
    r"(?<!\d)(?:(?:1[89]|20)\d\d([-./])\d{1,2}\1\d{1,2}|\d{1,2}([-./])\d{1,2}\2(?:1[89]|20)\d\d)(?!\d)"
)
_YEAR_FIRST = re.compile(r"(?:1[89]|20)\d\d[ ./-]")
_YEARS = re.compile(r"\D?(?:1\d|20)\d\d\D{1,3}(?:(?:1\d|20)\d\d|\d\d)\D?")
_RANGE = re.compile(r"[\[(]?(\d{1,4}) ?[-–] ?(\d{1,4})[\])]?")
_CASE = re.compile(r"\d{3,6}/\d{2}")
_ROUND = re.compile(r"\d{1,3}(?:[., ] ?\d{3})* ?[., ]? ?000")
_MILLIONS = re.compile(r"\+\d{1,3}(?:[., ' ]?000){2,}")  # a growth: no number of a country ends so
_THOUSANDS = re.compile(r"\d{1,3}(?:([.,' \u00a0\u202f])\d{3})(?:\1\d{3})*")
_NINE = re.compile(r"[1-9]\d\d \d{3} \d{3}")  # as Poles, Czechs and Spaniards write a number
_DECIMALS = re.compile(r"\D?\d+[.,]\d+(?:\s?[-–—/~]\s?\d+[.,]\d+)?\D?")
_BOOK = re.compile(r"(?:97[89][- ])?\d{1,5}[- ]\d{1,7}[- ]\d{1,7}[- ]\d")
_SERIAL = re.compile(r"\d{4}-\d{4}|\d{4}\.\d{4,5}|\d{5}-\d{3,4}")  # ISSN; arXiv; postal codes of the US and Brazil
_STRONG = re.compile(r"\(?\d{3}\)?[ .-]{0,2}\d{3}[.-]\d{4}|1[ .-]\(?\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4}")
_MOBILES = MappingProxyType(
    {
        "zh": re.compile(r"1[3-9]\d{9}"),
        "ja": re.compile(r"0[789]0\d{8}"),
        "ko": re.compile(r"01[016-9]\d{7,8}"),
    }
)
_GROUP = re.compile(r"\d+")


def is_strong(value: str) -> bool:
    """Whether a value is written as North American numbers are, and hardly anything else."""
    return _STRONG.fullmatch(value) is not None


def is_mobile(value: str, language: str) -> bool:
    """Whether digits without a sign between them are a mobile number of China, Japan or Korea, by the language."""
    form = _MOBILES.get(language)
    return form is not None and form.fullmatch(value) is not None


def is_other(value: str) -> bool:
    """Whether a value is a date, a range, a decimal, an amount, or too long, whatever stands before it."""
    if digits(value) > MOST or is_date(value) or _CASE.fullmatch(value):
        return True
    if _ROUND.fullmatch(value) or _MILLIONS.fullmatch(value):
        return True
    if _FULL_DATE.search(value) or _YEARS.fullmatch(value):
        return True
    ends = _RANGE.fullmatch(value)
    return bool(ends and len(ends[1]) == len(ends[2]) and ends[1] < ends[2])


def is_written_so(value: str) -> bool:
    """Whether a value has the form of a telephone number: groups of digits that are no decimal, amount or book."""
    groups = _GROUP.findall(value)
    if digits(value) < LEAST or (len(groups) == 1 and "(" not in value) or _YEAR_FIRST.match(value):
        return False
    if is_strong(value):
        return True
    if _is_count(value) or (_BOOK.fullmatch(value) and value[0] != "0"):
        return False
    if len(groups) == 2:
        return digits(value) >= _LEAST_ONCE and _is_pair(value, groups)
    single = sum(len(group) == 1 for group in groups)
    return single <= 1 and (max(map(len, groups)) >= 3 or len(groups) >= 4)


def _is_count(value: str) -> bool:
    """Whether a value is a decimal, two of them, or a number whose thousands stand apart."""
    if value[0] == "0" and value[1:2].isdecimal():
        return False
    if _DECIMALS.fullmatch(value):
        return True
    return in_thousands(value) and not _NINE.fullmatch(value) and value[:2] != "0 "


def _is_pair(value: str, groups: list[str]) -> bool:
    """Whether two groups are a code of an area, which begins with 0 or stands in brackets, and a number."""
    if _SERIAL.fullmatch(value):
        return False
    return "(" in value or (groups[0][0] == "0" and 2 <= len(groups[0]) <= 6)


def in_thousands(value: str) -> bool:
    """Whether digits stand in groups of three, as those of an amount do."""
    return _THOUSANDS.fullmatch(value) is not None


def digits(value: str) -> int:
    return sum(char.isdecimal() for char in value)


def is_date(value: str) -> bool:
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

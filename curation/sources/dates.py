"""Reads dates as archives and data sets write them: whole or truncated, with or without separators, or in seconds."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

MOMENT = pa.timestamp("ms", tz="UTC")

_DATE = re.compile(
    r"\s*(\d{4})(?:[-/]?(\d\d))?(?:[-/]?(\d\d))?(?:[Tt _]?(\d\d))?(?::?(\d\d))?(?::?(\d\d))?(?:([.,]\d++)|\d*+)"
    r"\s*+(?:(?:[Zz]|UTC|([+-])(\d\d):?(\d\d))\s*+)?",
    re.ASCII,
)
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")  # as English begins them
_DAY_OF_YEAR = re.compile(r"\s*((\d{4})-\d\d)-(\d{2,3})(?=[Tt ]|$)", re.ASCII)
_PLAIN = r"^[12]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$"
# years 1 to 9999, which Python's datetime has
FIRST_SECOND = -62_135_596_800
LAST_SECOND = 253_402_300_799
_UNITS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}  # a second


def parse_date(text: str) -> int | None:
    """Milliseconds since 1970 of an ISO 8601 date or one of 4 to 14 digits; None if it is neither.

    Missing parts are the first: "2017-02" is 1 February 2017, 00:00. Digits after the fourteenth are ignored. Without
    an offset, the date is in UTC. Where the month is followed by the day of the year ("2009-03-65T08:43:19-0800", as
    ClueWeb09 has it), that day is taken.
    """
    moment = _parsed(text)
    return _parsed(_by_month(text)) if moment is None else moment


def _by_month(text: str) -> str:
    """With the day of the month in place of that of the year; "" where it is of another month."""
    match = _DAY_OF_YEAR.match(text)
    if match is None:
        return ""
    try:
        day = str(date(int(match[2]), 1, 1) + timedelta(days=int(match[3]) - 1))
    except (ValueError, OverflowError):
        return ""
    return day + text[match.end() :] if day.startswith(match[1]) else ""


def _parsed(text: str) -> int | None:
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) if part else None for part in match.groups()[:6])
    fraction, sign, hours, minutes = match.groups()[6:]
    assert year is not None
    try:
        zone = timezone((1 if sign == "+" else -1) * timedelta(hours=int(hours), minutes=int(minutes))) if sign else UTC
        moment = datetime(year, month or 1, day or 1, hour or 0, minute or 0, min(second or 0, 59), tzinfo=zone)
    except ValueError:
        return None
    whole = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    return whole + (int(f"{fraction[1:]}00"[:3]) if fraction else 0)


def dates(values: pa.Array) -> pa.Array:
    """timestamp[ms, UTC][N] of dates, timestamps, epoch seconds or date strings; null for any other value, and beyond
    the years 1 to 9999."""
    kind = values.type
    if pa.types.is_dictionary(kind):
        return dates(values.dictionary_decode())
    if pa.types.is_timestamp(kind):
        return _from_timestamps(values)
    if pa.types.is_date(kind):
        return _from_timestamps(values.cast(pa.timestamp("ms")))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _from_seconds(values.cast(pa.float64(), safe=False))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _from_strings(values)
    return pa.nulls(len(values), MOMENT)


def _from_timestamps(values: pa.Array) -> pa.Array:
    units = _UNITS[values.type.unit]
    most = 2**63 - 1
    counts = values.cast(pa.int64())
    first = max(FIRST_SECOND * units, -most)
    last = min((LAST_SECOND + 1) * units - 1, most)
    sound = pc.and_(pc.greater_equal(counts, first), pc.less_equal(counts, last))
    return pc.if_else(sound, values, None).cast(MOMENT, safe=False)


def _from_seconds(values: pa.Array) -> pa.Array:
    sound = pc.and_(pc.greater_equal(values, FIRST_SECOND), pc.less_equal(values, LAST_SECOND))
    milliseconds = pc.floor(pc.multiply(pc.if_else(sound, values, None), 1000.0))
    return milliseconds.cast(pa.int64()).cast(MOMENT)


def _from_strings(values: pa.Array) -> pa.Array:
    """All at once if every value has the usual spelling, otherwise one by one."""
    if pc.all(pc.match_substring_regex(values, _PLAIN)).as_py() is not False:
        try:
            return pc.cast(pc.replace_substring_regex(values, "Z$", ""), pa.timestamp("ms")).cast(MOMENT)
        except pa.ArrowInvalid:
            pass
    parsed: list[Any] = [None if value is None else parse_date(value) for value in values.to_pylist()]
    return pa.array(parsed, pa.int64()).cast(MOMENT)


def parse_mail_date(text: str) -> int | None:
    """Milliseconds since 1970 of a date as in mail (RFC 5322); None if it is none. Without an offset, it is in UTC."""
    try:
        moment = parsedate_to_datetime(text)
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)  # in the years 1 to 9999
        return int(moment.timestamp()) * 1000
    except (ValueError, TypeError, IndexError, OverflowError):
        return None

"""Dates as archives and data sets write them."""

from datetime import UTC, date, datetime

import pyarrow as pa
import pytest

from curation.sources.dates import dates, parse_date, parse_mail_date


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2017-03-06T04:02:06Z", datetime(2017, 3, 6, 4, 2, 6)),
        ("2017-03-06T04:02:06.999999999Z", datetime(2017, 3, 6, 4, 2, 6, 999000)),
        ("2017-03-06T04:02:06+02:00", datetime(2017, 3, 6, 2, 2, 6)),
        ("2017-03-06 04:02", datetime(2017, 3, 6, 4, 2)),
        ("2017-03", datetime(2017, 3, 1)),
        ("2017", datetime(2017, 1, 1)),
        ("20170306040206", datetime(2017, 3, 6, 4, 2, 6)),
        ("201703060402060000", datetime(2017, 3, 6, 4, 2, 6)),
        ("2016-12-31T23:59:60Z", datetime(2016, 12, 31, 23, 59, 59)),
        ("2009-03-65T08:43:19-0800", datetime(2009, 3, 6, 16, 43, 19)),
        ("2008-10-294T05:21:46-0700", datetime(2008, 10, 20, 12, 21, 46)),
        ("2009-04-65T08:43:19-0800", None),
        ("9999-12-366T00:00:00Z", None),
        ("0000-12-300T00:00:00Z", None),
        ("20", None),
        ("2017-02-30", None),
        ("2017-13", None),
        ("blue monday", None),
        ("", None),
    ],
)
def test_parse_date(text: str, moment: datetime | None) -> None:
    expected = int(moment.replace(tzinfo=UTC).timestamp() * 1000) if moment else None
    assert parse_date(text) == expected
    assert dates(pa.array([text])).cast(pa.int64()).to_pylist() == [expected]


@pytest.mark.parametrize(
    "values",
    [
        pa.array(["1970-01-02T00:00:00Z", None]),
        pa.array(["1970-01-02", None]),
        pa.array([86_400, None]),
        pa.array([86_400.0, None]),
        pa.array([date(1970, 1, 2), None]),
        pa.array([datetime(1970, 1, 2), None], pa.timestamp("ns")),
        pa.array([86_400, None], pa.timestamp("s", tz="Europe/Berlin")),
        pa.array(["1970-01-02", None]).dictionary_encode(),
    ],
    ids=lambda values: str(values.type),
)
def test_dates_of_each_type(values: pa.Array) -> None:
    assert dates(values).to_pylist() == [datetime(1970, 1, 2, tzinfo=UTC), None]


def test_numbers_that_are_no_date() -> None:
    assert dates(pa.array([float("nan"), float("inf"), 1e15])).to_pylist() == [None] * 3
    assert dates(pa.array([True])).to_pylist() == [None]


@pytest.mark.parametrize(
    ("kind", "first", "last"),
    [
        (pa.float64(), -62135596800, 253402300799),
        (pa.timestamp("s"), -62135596800, 253402300799),
        (pa.timestamp("us"), -62135596800_000000, 253402300799_999999),
    ],
    ids=str,
)
def test_dates_are_those_of_the_years_1_to_9999(kind: pa.DataType, first: int, last: int) -> None:
    own = pa.int64() if pa.types.is_timestamp(kind) else kind
    values = pa.array([first - 1, first, last, last + 1, None], own).cast(kind)
    years = [None if moment is None else moment.year for moment in dates(values).to_pylist()]
    assert years == [None, 1, 9999, None, None]
    assert dates(pa.array([2**63 - 1, -(2**63) + 1], pa.int64()).cast(pa.timestamp("ns"))).null_count == 0


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("Mon, 6 Mar 2017 04:02:06 +0200", datetime(2017, 3, 6, 2, 2, 6)),
        ("Mon, 6 Mar 2017 04:02:06 GMT", datetime(2017, 3, 6, 4, 2, 6)),
        ("6 Mar 2017 04:02:06", datetime(2017, 3, 6, 4, 2, 6)),
        ("Fri, 31 Dec 9999 23:59:59 -0100", None),
        ("soon", None),
        ("", None),
    ],
)
def test_dates_of_mail(text: str, moment: datetime | None) -> None:
    assert parse_mail_date(text) == (moment and int(moment.replace(tzinfo=UTC).timestamp()) * 1000)

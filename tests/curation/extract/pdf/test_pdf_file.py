"""Dates as a PDF states them."""

from datetime import UTC, datetime

import pytest

from curation.extract.pdf.pdf_file import created


@pytest.mark.parametrize(
    ("stated", "moment"),
    [
        pytest.param("D:20200331120509+01'30'", datetime(2020, 3, 31, 10, 35, 9, tzinfo=UTC), id="whole"),
        pytest.param("20200331", datetime(2020, 3, 31, tzinfo=UTC), id="a day"),
        pytest.param("D:202003", datetime(2020, 3, 1, tzinfo=UTC), id="a month"),
        pytest.param("D:2020", datetime(2020, 1, 1, tzinfo=UTC), id="a year"),
        pytest.param("D:2020033112Z", datetime(2020, 3, 31, 12, tzinfo=UTC), id="an hour"),
    ],
)
def test_dates(stated: str, moment: datetime) -> None:
    assert created(stated) == int(moment.timestamp()) * 1000


@pytest.mark.parametrize("stated", ["", "yesterday", "D:20201331", "D:00000101"])
def test_what_is_no_date(stated: str) -> None:
    assert created(stated) is None

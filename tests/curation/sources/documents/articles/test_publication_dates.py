"""The day on which an article came out, of several dates."""

import pytest
from lxml import etree

from curation.sources.documents.articles.publication_dates import publication_date


def date(kind: str, *parts: str) -> str:
    named = zip(("year", "month", "day"), parts, strict=False)
    return f'<pub-date pub-type="{kind}">{"".join(f"<{name}>{part}</{name}>" for name, part in named)}</pub-date>'


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        pytest.param([], None, id="none"),
        pytest.param(
            [date("collection", "2012"), date("epub", "2012", "9", "28")], "2012-09-28", id="a day and a year"
        ),
        pytest.param([date("ppub", "2012", "9"), date("collection", "2012")], "2012-09", id="a month and a year"),
        pytest.param([date("ppub", "2012", "10", "1"), date("epub", "2012", "9", "28")], "2012-09-28", id="two days"),
        pytest.param([date("epub", "2012", "Sept.", "5")], "2012-09-05", id="the name of a month"),
        pytest.param([date("epub", "2012", "00", "5")], "2012", id="a month that is none"),
        pytest.param([date("epub", "2011", "2", "29")], "2011-02", id="a day that is none"),
        pytest.param([date("hwp-received", "2011", "1", "6"), date("ppub", "2012")], "2012", id="received"),
        pytest.param([date("nihms-submitted", "2011", "1", "6"), date("ppub", "2012")], "2012", id="submitted"),
        pytest.param(
            [date("ppub", "2012", "5"), date("pmc-release", "2013", "5", "1")], "2012-05", id="a copy's release"
        ),
        pytest.param(
            [date("ppub", "2012"), date("pmc-release", "2012", "5", "1")], "2012-05-01", id="one of that year"
        ),
        pytest.param([date("pmc-release", "2013", "5", "1")], "2013-05-01", id="a release alone"),
        pytest.param(['<pub-date iso-8601-date="2015-09-30"/>'], "2015-09-30", id="an attribute"),
        pytest.param(["<pub-date><year>MMXII</year></pub-date>"], None, id="no number"),
    ],
)
def test_the_first_full_date(dates: list[str], expected: str | None) -> None:
    assert publication_date(etree.fromstring(f"<article-meta>{''.join(dates)}</article-meta>")) == expected

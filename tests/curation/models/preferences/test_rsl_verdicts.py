"""Which terms are those of a page: its own, linked ones, those of its host; and terms that nobody has read."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.models.preferences import rsl_files
from curation.models.preferences.rsl_verdicts import RslVerdict, TermsFinder, rsl_verdicts
from curation.models.preferences.site_files import RSL, SiteFiles
from curation.models.preferences.statements import Statement
from curation.text.urls.parse import parse_urls
from tests.curation.models.preferences.test_rsl import content, prohibits, rsl
from tests.curation.models.preferences.test_site_files import day, made
from tests.support import table

TERMS = "https://terms.example/site.xml"
HERE = "https://own.example/rsl.xml"


@pytest.fixture
def site(tmp_path: Path) -> SiteFiles:
    def file(address: str, *terms: tuple[str, str]) -> str:
        return json.dumps([address, terms])

    return made(
        tmp_path,
        ("terms.example", RSL, "2024-03-01", file(TERMS, ("/", "paid"), ("/free/", "permitted"))),
        ("terms.example", RSL, "2024-03-20", file(TERMS, ("/", "refused"))),
        ("terms.example", RSL, "2024-03-20", file(TERMS + "?other", ("/", "permitted"))),
        ("own.example", RSL, "2024-03-01", file(HERE, ("https://own.example/a/", "refused"))),
    )


def verdict(finder: TermsFinder, url: str, date: str | None, own: Statement, *licences: str) -> RslVerdict:
    dates = np.array([np.nan if date is None else day(date).timestamp() * 1000])
    urls = pa.array([url], pa.large_string())
    several, which = rsl_verdicts(finder, urls, parse_urls(urls), dates, [(own, licences)], np.zeros(1, np.int64))
    return several[int(which[0])]


@table(
    ("url", "date", "own", "licences", "expected"),
    {
        "no terms": ("https://a.example/", "2024-03-01", Statement(), (), RslVerdict()),
        "a link in robots.txt": ("https://a.example/", "2024-03-02", Statement(), (TERMS,), RslVerdict("paid", TERMS)),
        "a path of its own": (
            "https://a.example/free/",
            "2024-03-02",
            Statement(),
            (TERMS,),
            RslVerdict("permitted", TERMS),
        ),
        "the nearest fetch": (
            "https://a.example/free/",
            "2024-03-19",
            Statement(),
            (TERMS,),
            RslVerdict("refused", TERMS),
        ),
        "too long ago": ("https://a.example/", "2024-05-19", Statement(), (TERMS,), RslVerdict("unread", TERMS)),
        "no date": ("https://a.example/", None, Statement(), (TERMS,), RslVerdict("unread", TERMS)),
        "another scheme": (
            "https://a.example/",
            "2024-03-02",
            Statement(rsl=("http://TERMS.example/site.xml#x",)),
            (),
            RslVerdict("paid", "http://TERMS.example/site.xml#x"),
        ),
        "a link of the page": (
            "https://terms.example/x",
            "2024-03-02",
            Statement(rsl=("/site.xml",)),
            (),
            RslVerdict("paid", TERMS),
        ),
        "a link to nowhere": (
            "https://a.example/b/c",
            "2024-03-02",
            Statement(rsl=("rsl.xml",)),
            (),
            RslVerdict("unread", "https://a.example/b/rsl.xml"),
        ),
        "the page's own": (
            "https://a.example/x",
            "2024-03-02",
            Statement(rsl_terms="refused /; permitted /y"),
            (),
            RslVerdict("refused", "in the page"),
        ),
        "its own, unreadable": (
            "https://a.example/x",
            "2024-03-02",
            Statement(rsl_terms="unreadable"),
            (),
            RslVerdict("unread", "in the page"),
        ),
        "the strictest": (
            "https://a.example/x",
            "2024-03-02",
            Statement(rsl_terms="permitted /"),
            (TERMS,),
            RslVerdict("paid", TERMS),
        ),
        "terms that are read go before those that are not": (
            "https://a.example/x",
            "2024-03-02",
            Statement(rsl=("/gone.xml",), rsl_terms="permitted /"),
            (),
            RslVerdict("permitted", "in the page"),
        ),
        "a file of the host": ("https://own.example/a/b", "2024-03-02", Statement(), (), RslVerdict("refused", HERE)),
        "which says nothing of the page": ("https://own.example/", "2024-03-02", Statement(), (HERE,), RslVerdict()),
    },
)
def test_terms(
    site: SiteFiles, url: str, date: str | None, own: Statement, licences: tuple[str, ...], expected: RslVerdict
) -> None:
    assert verdict(TermsFinder(site, None, 30), url, date, own, *licences) == expected


def test_terms_of_the_user(tmp_path: Path) -> None:
    path = tmp_path / "mine.xml"
    path.write_bytes(rsl(content(prohibits("ai-train"), url="https://a.example/*")))
    finder = TermsFinder(None, rsl_files.load((str(path),)), 30)
    assert verdict(finder, "https://a.example/b", None, Statement()) == RslVerdict("refused", str(path))
    assert verdict(finder, "https://b.example/b", None, Statement()) == RslVerdict()


def test_what_a_verdict_says() -> None:
    found = {one: RslVerdict(one, "/l") for one in ("permitted", "paid", "refused", "unread")}
    assert [name for name, one in found.items() if one.refused] == ["paid", "refused"]
    assert [name for name, one in found.items() if one.unread] == ["unread"]
    assert (found["paid"].written, RslVerdict().written) == ("paid /l", None)

"""The table of hand-written pages is whole: every text is used, every address is one page, every edit applies."""

from collections import Counter
from inspect import isfunction

from demo import oddities
from demo.layout import charset_tag
from demo.pages import DISALLOWED, PAGES
from demo.site import WRITTEN, build_site


def test_every_address_is_listed_once() -> None:
    assert [url for url, count in Counter(page.url for page in (*PAGES, DISALLOWED)).items() if count > 1] == []


def test_every_written_text_is_served() -> None:
    assert {page.text for page in PAGES if page.text} == {path.stem for path in WRITTEN.glob("*.html")}


def test_every_oddity_is_served() -> None:
    written = {maker for name, maker in vars(oddities).items() if isfunction(maker) and not name.startswith("_")}
    assert {page.generate for page in PAGES if page.generate} == written - {charset_tag}


def test_every_page_says_what_it_is_there_for() -> None:
    assert all(page.purpose for page in PAGES)


def test_near_copies_differ_from_what_they_copy() -> None:
    site = build_site([])
    copies = [page for page in PAGES if page.edits]
    assert len(copies) == 3
    for page in copies:
        body = site[page.url].body.decode()
        assert all(new in body and old not in body for old, new in page.edits)


def test_no_text_file_is_longer_than_250_lines() -> None:
    assert max(path.read_text("utf-8").count("\n") for path in WRITTEN.glob("*.html")) <= 250

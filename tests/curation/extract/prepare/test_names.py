"""Attributes that Resiliparse's rules read get other names where they would delete words of the text."""

import pytest
from resiliparse.extract.html2text import extract_plain_text

from curation.extract.prepare.names import misleading_names
from curation.extract.resiliparse import Resiliparse
from tests.curation.extract.prepare.rewritten import rewritten
from tests.curation.extract.raw_pages import texts

STORY = "<p>The miller counted the sacks again before the rain began, and none was missing from the carts.</p>" * 3


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param("<p>a <b class=jp>b</b> c", "<p>a <b data-class=jp>b</b> c", id="a class in a sentence"),
        pytest.param(
            "<p>a <a REL='tag' title='x id=y' id=z>b</a>.",
            "<p>a <a data-REL='tag' title='x id=y' data-id=z>b</a>.",
            id="all of its names, and no value",
        ),
        pytest.param("<h2 id=search>Search</h2>", "<h2 data-id=search>Search</h2>", id="a heading"),
        pytest.param("<blockquote class=x>a</blockquote>", "<blockquote data-class=x>a</blockquote>", id="a quotation"),
        pytest.param("<p>a <b class='x visually-hidden'>b</b> c", None, id="hidden"),
        pytest.param("<p>a</p><a class=share>b</a><p>c</p>", None, id="no sentence"),
        pytest.param("<p><a class=share>b</a> <a class=share>c</a></p>", None, id="links side by side"),
        pytest.param("<p>a <b title=x>b</b> c", None, id="another attribute"),
        pytest.param("<h1 id=a>b</h1><p class=c>d</p>", None, id="other blocks"),
    ],
)
def test_names(markup: str, expected: str | None) -> None:
    assert rewritten(markup, misleading_names) == (expected or markup)


@pytest.mark.parametrize(
    ("markup", "line"),
    [
        pytest.param("<p>One <span class=jp>word</span> is two.</p>", "One word is two.", id="class"),
        pytest.param("<p>See <a rel=tag href=/x>mills</a> and boats.</p>", "See mills and boats.", id="rel"),
        pytest.param("<h2 id=search>How to search</h2>", "How to search", id="a heading's id"),
        pytest.param("<blockquote class=twitter-tweet>It said so.</blockquote>", "It said so.", id="a quotation"),
    ],
)
def test_words_are_kept_that_the_library_drops(markup: str, line: str) -> None:
    """Where the first assertion fails, the library is mended."""
    page = f"<html><body><main><article>{STORY}{markup}{STORY}</article></main></body></html>"
    assert line not in extract_plain_text(page, main_content=True).split("\n")
    assert line in (texts(Resiliparse(), page)[0] or "").split("\n")

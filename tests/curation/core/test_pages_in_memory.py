"""Extractors called with pages in memory: text, bytes of some encoding, a list, a column; and what is no page."""

from typing import Any

import pandas
import pyarrow as pa
import pytest

from curation.core.errors import UserError
from curation.dedup.exact import Exact
from curation.extract.resiliparse import Resiliparse

EXTRACT = Resiliparse()
TEXT = "The bread is baked from flour, water and salt, and yeast lets it rise for an hour in a br\u00f8d tin."
PAGE = f"<html><head><meta charset=ascii><title>Bread</title></head><body><nav>Home</nav><p>{TEXT}</p></body></html>"


def test_one_page() -> None:
    page = EXTRACT(PAGE)
    assert (page.text, page.reason, page.signals["title"]) == (TEXT, None, "Bread")
    assert EXTRACT({"text": PAGE, "url": "http://a.example"}).text == TEXT


def test_bytes_have_the_encoding_that_they_state() -> None:
    page = PAGE.replace("ascii", "iso-8859-1").encode("iso-8859-1")
    assert EXTRACT(page).text == TEXT
    assert [one.text for one in EXTRACT([page, PAGE, None])] == [TEXT, TEXT, None]


def test_pages_without_text_have_a_reason() -> None:
    assert [(one.text, one.reason) for one in EXTRACT(["", None])] == [(None, "extract:empty")] * 2
    small = Resiliparse(max_bytes=10)
    assert small(PAGE).reason == "extract:too_many_bytes"
    assert EXTRACT([]) == []


def test_more_than_a_batch() -> None:
    pages = EXTRACT([f"<p>{number} loaves of bread" for number in range(250)])
    assert [one.text for one in pages] == [f"{number} loaves of bread" for number in range(250)]


def test_a_column_gives_a_table() -> None:
    table = EXTRACT(pa.array([PAGE, None]))
    assert table["text"].to_pylist() == [TEXT, None]
    assert table["reason"].to_pylist() == [None, "extract:empty"]
    assert table["extract.title"].to_pylist() == ["Bread", None]
    assert EXTRACT(pandas.Series([PAGE], index=[7]))["text"].to_dict() == {7: TEXT}


class Failing(Resiliparse):
    """Fails on one page."""

    def extract(self, pages: pa.RecordBatch, caught: Any, on_caught: Any) -> pa.RecordBatch:
        if b"bad" in pages.column("content").to_pylist():
            raise LookupError("bad")
        return super().extract(pages, caught, on_caught)


def test_an_error_drops_one_page() -> None:
    answers = Failing()([PAGE, "bad", PAGE])
    assert [one.text for one in answers] == [TEXT, None, TEXT]
    assert str(answers[1].reason).endswith(".LookupError")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        pytest.param(3, "int is not what documents can be read from", id="a number"),
        pytest.param([b"", 3], "a page is of type int; give each as text or as bytes", id="bytes and a number"),
    ],
)
def test_what_is_no_page_is_refused(given: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        EXTRACT(given)


def test_options_are_checked() -> None:
    with pytest.raises(UserError, match=r"Resiliparse\(links\): expected true or false, got 'yes'"):
        Resiliparse(links="yes")(PAGE)  # type: ignore[arg-type]


def test_a_dedup_method_says_how_it_is_called() -> None:
    with pytest.raises(UserError, match=r"Exact compares documents .*winnow\.curate\(\[winnow\.dedup\.Exact\(\)\]"):
        Exact()(["a", "a"])

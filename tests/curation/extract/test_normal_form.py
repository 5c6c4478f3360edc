"""The one form of texts: what a writer writes, what becomes of a rendered text, and one page by every extractor."""

import importlib.util
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.extract.etrafilatura import Etrafilatura
from curation.extract.marks import CODE_CLOSES, CODE_OPENS, NUMBER_CLOSES, NUMBER_OPENS
from curation.extract.normal_form import Writer, formed, numbered
from curation.extract.resiliparse import Resiliparse
from curation.extract.trafilatura import Trafilatura
from tests.curation.extract.formed_page import HEADED, PAGE, TEXT, UNTITLED
from tests.curation.extract.raw_pages import never, raw_pages

needs_etrafilatura = pytest.mark.skipif(
    importlib.util.find_spec("etrafilatura") is None,
    reason="etrafilatura is not installed; `make test-wheel` runs this where Python 3.12 is",
)


@pytest.mark.parametrize(
    "extractor",
    [
        pytest.param(Resiliparse(), id="resiliparse"),
        pytest.param(Resiliparse(main_content=False), id="resiliparse, all text"),
        pytest.param(Trafilatura(), id="trafilatura"),
        pytest.param(Trafilatura(focus="precision"), id="trafilatura, precision"),
        pytest.param(Trafilatura(fast=True), id="trafilatura, fast"),
        pytest.param(Etrafilatura(), id="etrafilatura", marks=needs_etrafilatura),
        pytest.param(Etrafilatura(fast=True), id="etrafilatura, fast", marks=needs_etrafilatura),
    ],
)
def test_a_page_has_one_text_whatever_the_extractor(extractor: Any) -> None:
    found = extractor.extract(raw_pages(HEADED.encode(), PAGE.encode()), {}, never)
    assert found.column("text").to_pylist() == [TEXT, UNTITLED]


@pytest.mark.parametrize(
    ("rendered", "text"),
    [
        pytest.param("", "", id="empty"),
        pytest.param("one\n\ntwo\nthree", "one\n\ntwo\nthree", id="paragraphs and a break"),
        pytest.param("one\n\n\n\ntwo", "one\n\ntwo", id="one blank line of several"),
        pytest.param("x\n\n  \u2022 a\n  \u2022 b\n\ny", "x\n\n- a\n- b\n\ny", id="list"),
        pytest.param("x\n  \u2022 a\n\n  \u2022 b\ny", "x\n\n- a\n- b\n\ny", id="no blank line within, one around"),
        pytest.param("\u2022 a\n    \u2022 b", "- a\n  - b", id="a list first, and one within"),
        pytest.param("x\n\n  1. a\n  10. b", "x\n\n1. a\n10. b", id="numbers"),
        pytest.param("x\n\n  \u2022 a\n\n    more", "x\n\n- a\nmore", id="a second block of an item"),
        pytest.param("\u2022 x", "- x", id="one item"),
        pytest.param("one \u2022 two", "one \u2022 two", id="a bullet within a line"),
        pytest.param("a\t\tb\t\tc", "a\tb\tc", id="cells"),
        pytest.param("a\t\t\t\tb\t\t", "a\t\tb", id="empty cells"),
        pytest.param(f"x\n{CODE_OPENS}  a\n\n\t\tb \n{CODE_CLOSES}\ny", "x\n\n  a\n\n\t\tb\n\ny", id="preformatted"),
        pytest.param(f"x\n\n  \u2022\n\n{CODE_OPENS}a{CODE_CLOSES}", "x\n\na", id="an item of preformatted text only"),
    ],
)
def test_formed(rendered: str, text: str) -> None:
    assert formed(rendered) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("1. {c.}one\n2. {d.}two", "c. one\nd. two", id="in the place of the parser's"),
        pytest.param("  2. {-}one", "  - one", id="a bullet within an ordered list"),
        pytest.param("- {3.} one", "3. one", id="in the place of a bullet"),
        pytest.param("1. \xa0 {5.}one", "5. one", id="behind spaces"),
        pytest.param("1. **{5.}one**", "5. **one**", id="behind marks of Markdown"),
        pytest.param("1. {5.}\n\none", "5.\n\none", id="before a block"),
        pytest.param("a\t{3.}one", "a\tone", id="in a cell, where items have no numbers"),
        pytest.param("1. one {3", "1. one {3", id="no marks"),
    ],
)
def test_numbers_from_marks(text: str, expected: str) -> None:
    marked = text.replace("{", NUMBER_OPENS).replace("}", NUMBER_CLOSES) if "}" in text else text
    assert numbered(marked) == expected


def test_lines_and_paragraphs() -> None:
    writer = Writer()
    for part in (" a ", None, "b\n\t c"):
        writer.text(part)
    assert writer.line()
    assert not writer.line()
    writer.text("d")
    writer.blank()
    writer.blank()
    writer.text("e\u00a0f ")
    assert writer.result() == "a b c\nd\n\ne\u00a0f"


def test_a_marker_is_written_with_the_text_that_follows() -> None:
    writer = Writer()
    writer.mark("- ")
    writer.mark("- ")
    writer.text("a")
    writer.mark("- ")
    writer.cells(["b", "", "c", ""])
    writer.mark("- ")
    writer.blank()
    writer.text("d")
    assert writer.result() == "- a\n- b\t\tc\n\nd"


def test_preformatted_text_keeps_its_own() -> None:
    writer = Writer()
    writer.text("x")
    writer.preformatted("\n  a  b \n\n\tc\n\n")
    writer.text("y")
    assert writer.result() == "x\n\n  a  b\n\n\tc\n\ny"


rendered_lines = st.lists(
    st.sampled_from(["", "  ", "words here", "  \u2022 item", "    \u2022 item", "  3. item", "a\t\tb", "\u2022", "\t"])
    | st.text(alphabet="ab \t\n\u00a0\u2022\u5b57", max_size=6),
    max_size=12,
).map("\n".join)


@given(rendered_lines)
def test_every_text_has_the_form(rendered: str) -> None:
    text = formed(rendered)
    assert "\n\n\n" not in text
    assert not text.startswith("\n")
    assert not text.endswith("\n")
    assert [line for line in text.split("\n") if line != line.rstrip(" \t\r\f")] == []
    marks = re.compile("[\\s\u2022-]")
    assert marks.sub("", text) == marks.sub("", rendered)

"""Marks and stand-ins: a page that holds a mark loses nothing, and no two steps share one."""

import html
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from curation.extract.marks import MARKS
from curation.extract.stand_ins import Protect, without_marks, without_unprintable


@pytest.mark.parametrize("protect", [without_marks, without_unprintable])
@pytest.mark.parametrize(
    "written",
    [
        pytest.param(lambda one: one, id="as it is"),
        pytest.param(lambda one: f"&#{ord(one)};", id="decimal"),
        pytest.param(lambda one: f"&#X{ord(one):08X};", id="hexadecimal"),
        pytest.param(lambda one: f"&#0{ord(one)} ", id="no semicolon"),
    ],
)
def test_marks_in_a_page_are_put_back(protect: Protect, written: object) -> None:
    assert callable(written)
    page = "".join(f"<b>{written(one)}</b>" for one in MARKS)
    changed, stand_ins = protect(page.encode())
    assert not set(MARKS) & set(html.unescape(changed.decode()))
    assert changed.decode().translate(stand_ins) == html.unescape(page)


def test_no_two_marks_are_the_same() -> None:
    assert len(set(MARKS)) == len(MARKS)
    assert MARKS.isprintable()
    assert {len(one.encode()) for one in MARKS} == {4}


@pytest.mark.parametrize(
    "page",
    [
        pytest.param("", id="empty"),
        pytest.param("a &#39;b&#8217; \ufdd0 \u200c", id="references, a noncharacter, an unprintable one"),
        pytest.param("\U00014405 &#82949; &#x14405;", id="a letter of the script that is no mark"),
        pytest.param("&#829440; &#x144000;", id="references that begin alike"),
    ],
)
def test_a_page_without_marks_stays(page: str) -> None:
    assert without_marks(page.encode()) == (page.encode(), {})


@pytest.mark.parametrize(
    ("one", "kept"),
    [
        pytest.param("\u200c", True, id="zero-width non-joiner"),
        pytest.param("\u200d", True, id="zero-width joiner"),
        pytest.param("&zwnj;", True, id="by its name"),
        pytest.param("\U0001fae8", True, id="an emoji newer than Python"),
        pytest.param("\U000e0067", True, id="a tag of a flag"),
        pytest.param("\u00ad", False, id="soft hyphen"),
        pytest.param("\u200b", False, id="zero-width space"),
        pytest.param("\ue001", False, id="an icon"),
        pytest.param("\u0085", False, id="a control character"),
        pytest.param("é", False, id="a letter"),
    ],
)
def test_unprintable_characters_with_a_meaning(one: str, kept: bool) -> None:
    changed, stand_ins = without_unprintable(f"a{one}b".encode())
    assert bool(stand_ins) == kept
    assert changed.decode().isprintable() or not kept
    assert changed.decode().translate(stand_ins) == (f"a{html.unescape(one)}b" if kept else f"a{one}b")


@pytest.mark.parametrize(
    ("reference", "kept"),
    [
        pytest.param("&#11;", " ", id="vertical tab"),
        pytest.param("&#x0C;", " ", id="form feed"),
        pytest.param("&#1;", "\x01", id="control character"),
        pytest.param("&#65534;", "\ufffe", id="noncharacter"),
        pytest.param("&#X1FFFF;", "\U0001ffff", id="noncharacter of four bytes"),
    ],
)
def test_references_that_xml_has_no_place_for(reference: str, kept: str) -> None:
    changed, stand_ins = without_unprintable(f"a{reference}b&#228;&#128;".encode())
    assert changed.decode().translate(stand_ins) == f"a{kept}b&#228;&#128;"


@given(st.text(st.sampled_from([*MARKS, "\U00014405", "\u200c", "a", "é", "&", "#", "x", "1", "4", "0", ";"])))
def test_nothing_is_lost(text: str) -> None:
    assume(all(html.unescape(one) not in ("", "\f") for one in re.findall("&#[xX]?[0-9a-fA-F]+;?", text)))
    for protect in (without_marks, without_unprintable):
        changed, stand_ins = protect(text.encode())
        found = html.unescape(changed.decode()).translate(stand_ins)
        assert html.unescape(found) == html.unescape(html.unescape(text))

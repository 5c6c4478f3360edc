"""Marks put into HTML: superscripts and their links, ruby readings, and numbers of lists."""

import re
import time

import pytest

from curation.text.html.inline_marks import resolved
from curation.text.html.inline_markup import marked


def plain(markup: str) -> str:
    """Text of marked HTML, with an item a line, which the layout numbers from 1."""
    text = re.sub("<li[^<>]*>", "\n1. ", marked(markup), flags=re.IGNORECASE)
    return resolved(re.sub("<!--.*?(?:-->|$)|<[^<>]*>", "", text)).strip()


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param("10<sup>6</sup> <SUP class=x>", "10^6", id="an exponent"),
        pytest.param("<i>x</i><sup><b>2</b></sup>", "x^2", id="other tags around"),
        pytest.param('m<sup><a href="#n1">1</a></sup>.', "m.", id="a link in it"),
        pytest.param("m<a href='#n1'><sup>1</sup></a>.", "m.", id="a link around it"),
        pytest.param('m<sup class="footnote-ref"><a href="x#n1">1</a></sup>.', "m.", id="a note by its class"),
        pytest.param('m<a epub:type="noteref" href="x"><sup>1</sup></a>.', "m.", id="a note by its type"),
        pytest.param('m<sup><a href="/ref">2</a></sup>.', "m^2.", id="a link elsewhere"),
        pytest.param('<a href="#x">a</a> m<sup>2</sup>', "a m^2", id="a link that ended before"),
        pytest.param("5<sup>1</sup>/<sub>2</sub>, H<sub>2</sub>O", "5 1/2, H2O", id="subscripts"),
        pytest.param("<superior>6</superior>", "6", id="another name"),
        pytest.param("a <!-- <sup> --> 10<sup>6</sup>", "a  10^6", id="a comment"),
        pytest.param("a10<sup>6</sup><!-- 10<sup>6", "a10^6", id="an open comment"),
        pytest.param("<ruby>水車<rt>すいしゃ</rt></ruby>です", "水車です", id="a reading"),
        pytest.param("<ruby>水<rp>(</rp><rt>す<b>い</b></rt><rp>)</rp>車<rt>しゃ</ruby>です", "水車です", id="two"),
        pytest.param("<ruby><rb>水<rb>車<rtc><rt>す<rt>しゃ</rtc></ruby>です", "水車です", id="readings behind"),
        pytest.param("<ruby>水<rt>すい<p>車</p>", "水車", id="an open reading"),
        pytest.param("<rt>a</rt> b", "a b", id="no reading without ruby"),
        pytest.param("<ol start=3><li>a</li><li>b</li></ol>", "3. a\n4. b", id="a start"),
        pytest.param("<OL START='3'><LI>a<LI>b</OL>", "3. a\n4. b", id="in capitals"),
        pytest.param("<ol><li>a<li value=7>b<li>c</ol>", "1. a\n7. b\n8. c", id="a value"),
        pytest.param("<ol reversed><li>a<li>b</ol>", "2. a\n1. b", id="backwards"),
        pytest.param("<ol type=a><li>a<li>b</ol>", "a. a\nb. b", id="letters"),
        pytest.param("<ol type=I start=4><li>a<li type=disc>b</ol>", "IV. a\n- b", id="Roman numerals"),
        pytest.param("<ol type=a><li><p class=x>a</p><li>b</ol>", "a. a\nb. b", id="paragraphs"),
        pytest.param("<ol start=5><li>a<ol><li>x</ol><li>b</ol>", "5. a\n1. x\n6. b", id="a list within"),
        pytest.param("<ol start=5><li>a<ul><li>x</ul><li>b</ol>", "5. a\n1. x\n6. b", id="bullets within"),
        pytest.param("<ol start=5><li>a", "5. a", id="an open list"),
        pytest.param("<ol start=1 class='a'><li>a</li></ol></ol><li value=3>b", "1. a\n1. b", id="no list around it"),
        pytest.param("10<sup>6</sup> \U0002fffe \U0004fffea", "10^6 \U0002fffe \U0004fffea", id="marks of the page"),
        pytest.param("10<sup>6</sup> &#x1fffe;&#262143;2", "10^6 \U0001fffe\U0003ffff2", id="references to marks"),
    ],
)
def test_by_hand(markup: str, expected: str) -> None:
    assert plain(markup) == expected


def test_pages_without_marks_are_the_same_object() -> None:
    page = "<ol><li>a</li></ol><p class='start'>b</p>"
    assert marked(page) is page


@pytest.mark.parametrize(
    "markup",
    [
        "<sup>",
        "</sup>",
        "<sup",
        "<sup><!--",
        "<sup><ol start=1><li>",
        "<ruby><rt>",
        "<ol start=2><li><p>",
        "<ol start",
        "<sup><li><p",
        "<sup><a href=#",
        "<sup></ol>",
    ],
)
def test_time_is_linear(markup: str) -> None:
    begin = time.perf_counter()
    resolved(marked(markup * (200_000 // len(markup))))
    assert time.perf_counter() - begin < 5

"""Superscripts and ruby in markup; the rule on superscripts has its own tests."""

import pytest

from curation.extract.prepare.scripts import without_readings, written_superscripts
from tests.curation.extract.prepare.rewritten import rewritten


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param("10<sup>6</sup>", "10^6", id="a number"),
        pytest.param("<b>10</b><SUP class=x><i>-6</i></SUP>", "<b>10</b>^-6", id="inline elements"),
        pytest.param("x<sup>a&lt;b</sup>", "x^(a&lt;b)", id="references"),
        pytest.param("e<sup>-x<sup>2</sup>/2</sup>", "e^(-x^2/2)", id="one within another"),
        pytest.param("5<sup>1</sup>&frasl;<sub>2</sub>", "5 1&frasl;<sub>2</sub>", id="a fraction by a reference"),
        pytest.param("<p>10</p><sup>6</sup>", "<p>10</p>6", id="a base in another block"),
        pytest.param("note<sup><a href='#n'>1</a></sup>,", "note,", id="a mark"),
        pytest.param("note<sup><a href='/x#cite_1'>1</a></sup>,", "note,", id="a mark in a page with an address"),
        pytest.param("H<sub>2</sub>O", "H<sub>2</sub>O", id="a subscript"),
        pytest.param("10<sup><p>6</p></sup>", "10<sup><p>6</p></sup>", id="a block within"),
        pytest.param("10<sup>6", "10<sup>6", id="no end"),
        pytest.param("10<sup><img></sup>", "10<sup><img></sup>", id="a picture"),
        pytest.param(f"<b title='{'x' * 400}'>10</b><sup>6</sup>", f"<b title='{'x' * 400}'>10</b>^6", id="a long tag"),
    ],
)
def test_superscripts(markup: str, expected: str) -> None:
    assert rewritten(markup, written_superscripts) == expected


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param("<ruby>水車<rt>すいしゃ</rt></ruby>は", "<ruby>水車</ruby>は", id="a reading"),
        pytest.param("<ruby>北<rp>(</rp><rt>きた</rt><rp>)</rp></ruby>", "<ruby>北</ruby>", id="parentheses"),
        pytest.param("<ruby>北<rt>きた<rb>川<rt>かわ</ruby>", "<ruby>北<rb>川</ruby>", id="end tags left out"),
        pytest.param("<ruby><rb>北</rb><rtc><rt>きた</rt></rtc></ruby>", "<ruby><rb>北</rb></rtc></ruby>", id="rtc"),
        pytest.param("<ruby>北<rt><b>きた</b></rt></ruby>", "<ruby>北</ruby>", id="inline elements"),
        pytest.param("<ruby><rt>きた<p>北</p>", "<ruby><rt>きた<p>北</p>", id="no end before a block"),
        pytest.param("<rt>a</rt> b<ruby>c</ruby><rt>d</rt>", "<rt>a</rt> b<ruby>c</ruby><rt>d</rt>", id="no ruby"),
    ],
)
def test_readings(markup: str, expected: str) -> None:
    assert rewritten(markup, without_readings) == expected

"""Marks that have no partner in their page."""

import pytest

from curation.sources.documents.mediawiki.wikitext import PlainWikitext


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        pytest.param(
            "{{head}}\n! Year\n! Number\n|-----\n| 1999 || align=right | 3\n|-{{grey}}\n| 2000 || 4\n|}",
            "Year\nNumber\n1999\t3\n2000\t4",
            id="a table that a template begins",
        ),
        pytest.param('{|\n! rowspan="4" {{x}}\n| style=a colspan=2 | b\n|}', "b", id="attributes without a bar"),
        pytest.param("a </font>b <td; align=center>c <T> d < e", "a b c <T> d < e", id="tags"),
        pytest.param(
            "a &lt;b&gt; <nowiki></b> [[</nowiki> <code><td></code>", "a <b> </b> [[", id="what is written out stays"
        ),
        pytest.param("a ]] b }} c", "a  b  c", id="brackets"),
        pytest.param("{{Infobox\n|name = A\n|of = [[B]]\nText", "Text", id="a template that is never closed"),
        pytest.param("a {{b c", "a b c", id="braces in a sentence"),
        pytest.param("| a\nb | c", "| a\nb | c", id="bars without a table stay"),
    ],
)
def test_marks_without_a_partner(wikitext: str, text: str) -> None:
    article = PlainWikitext("en").plain(wikitext)
    assert article is not None
    assert article.text == text

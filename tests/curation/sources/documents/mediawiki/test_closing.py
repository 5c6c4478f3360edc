"""Marks of wikitext that are never closed: where they end, and what goes with them."""

import pytest

from curation.sources.documents.mediawiki.closing import closed
from curation.sources.documents.mediawiki.wikitext import PlainWikitext


@pytest.mark.parametrize(
    ("wikitext", "same"),
    [
        pytest.param("<table><tr><td>a<td>b<tr><td>c</table>", "a\tb\nc", id="cells and rows of HTML"),
        pytest.param(
            "{| class=x\n<tr><td>a<th>b\n<tr><td>'''c'''<td>[[d|e]]\n|}\nf", "a\tb\nc\te\n\nf", id="in a table"
        ),
        pytest.param("{|\n! a !! b\n|-\n| 1 || 2", "a\tb\n1\t2", id="a table ends with the page"),
        pytest.param("{|\n| <small>a || <center>b\n|-\n| c\n|}\n<big>d", "a\tb\nc\n\nd", id="tags within cells"),
        pytest.param(":{|\n| a || b\n|}\n* {|\n| c\n|}", "a\tb\n\nc", id="tables further in"),
        pytest.param("a <b>b <i>c</b> d</i> e</u>", "a b c d e", id="tags across each other"),
        pytest.param("a<ref>b c\nd", "a\nd", id="a footnote ends with its line"),
        pytest.param("a <!-- b\n\nc", "a", id="a comment ends with the page"),
        pytest.param("a [[b c] d [[e|f g\nh", "a b c] d f g\nh", id="links"),
        pytest.param("[[File:a.jpg|thumb|200px|A [[pear]]\nb", "A pear\nb", id="a picture"),
        pytest.param("<ul><li>a<li>b</ul><p>c<p>d", "- a\n- b\n\nc\n\nd", id="items and paragraphs"),
        pytest.param("# <li value=7>a\n# b<small>", "7. a\n8. b", id="an item of a line ends with it"),
        pytest.param("<nowiki><b></nowiki> <small>a <math>x<y", "<b> a x<y", id="within raw tags nothing is a mark"),
        pytest.param("{{nowrap|<small>a}} b", "a b", id="within a template"),
        pytest.param("a<br>b</br>c<br clear=all>d<small>", "a\nb\nc\nd", id="breaks"),
    ],
)
def test_what_is_open_ends_where_a_browser_ends_it(wikitext: str, same: str) -> None:
    article = PlainWikitext("en").plain(wikitext)
    assert article is not None
    assert article.text == same


@pytest.mark.parametrize("wikitext", ["{{a|b}} [[c|d]] <b>e</b> <!-- f --> {|\n|g\n|-\n|h\n|}", "a < b", "{{{1|}}}"])
def test_what_is_closed_stays(wikitext: str) -> None:
    assert closed(wikitext) == wikitext


@pytest.mark.parametrize("mark", ["<td>", "<b>", "[[a|", "{|\n", "<ul><li>", "{{a|<b>", "</b><li>"])
def test_a_million_open_marks_are_looked_at_once(mark: str) -> None:
    assert len(closed(mark * 20_000)) < 20 * 20_000

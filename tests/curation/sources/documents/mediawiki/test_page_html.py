"""What is cut out of an article's HTML, and what stays."""

import pytest

from curation.sources.documents.mediawiki.page_html import without_furniture

REFERENCE = (
    '<sup about="#mwt1" class="mw-ref reference" typeof="mw:Extension/ref" data-mw=\'{"a":"<b> > \\"c"}\'>'
    '<a href="#n"><span class="mw-reflink-text">[1]</span></a></sup>'
)


@pytest.mark.parametrize(
    ("page", "kept"),
    [
        pytest.param(f"<p>A fact.{REFERENCE} Next.</p>", "<p>A fact. Next.</p>", id="a mark of a footnote"),
        pytest.param(
            '<p>a</p><section><h2 id="R">References</h2>\n<div class="mw-references-wrap"><ol class="mw-references '
            'references"><li>b <ol><li>c</li></ol></li></ol></div></section>',
            "<p>a</p><section>\n</section>",
            id="a list of footnotes, with its heading",
        ),
        pytest.param(
            '<h2>A</h2><h3>B</h3><p class="hatnote">c</p><h3>D</h3><p>e</p><h2>F</h2><div class="navbox">g</div>',
            "<h2>A</h2><h3>D</h3><p>e</p>",
            id="only headings without a text go",
        ),
        pytest.param(
            'a<table class="plainlinks metadata ambox"><tr><td>b<table><tr></table></td></tr></table>c',
            "ac",
            id="a box in a box",
        ),
        pytest.param(
            '<div role="navigation" class="x">a</div><span id="coordinates">b</span>c', "c", id="by role and id"
        ),
        pytest.param('a<span style="color:red; display:none">b</span>c', "ac", id="what is hidden"),
        pytest.param(
            'a<sup class="ext-phonos-attribution noexcerpt"><a>b</a></sup>c', "ac", id="a sign of a recording"
        ),
        pytest.param('<td class="navigation-only"><a>modifier</a></td>c', "c", id="a link to edit a box"),
        pytest.param('a<sup class="noprint Inline-Template">[<i>citation needed</i>]</sup>.', "a.", id="a demand"),
        pytest.param('a<ref class="reference">b', 'a<ref class="reference">b', id="what is never closed stays"),
        pytest.param(
            '<p class="references-x reference_y">a</p>', '<p class="references-x reference_y">a</p>', id="other classes"
        ),
        pytest.param(
            '<span class="mwe-math-mathml-a11y" style="display: none;"><math>x</math></span><b class="noprint"></b>',
            '<span class="mwe-math-mathml-a11y" style="display: none;"><math>x</math></span>',
            id="formulas stay",
        ),
        pytest.param('<body class="reference">a</body>', '<body class="reference">a</body>', id="never all of it"),
        pytest.param('a<i class="noprint" b="c', 'a<i class="noprint" b="c', id="a tag without an end"),
    ],
)
def test_furniture_goes(page: str, kept: str) -> None:
    assert without_furniture(page) == kept


@pytest.mark.parametrize(
    "part",
    ['<ol class="references">', 'class="reference" ', '<i class="noprint" b="', "<h2>", '<h2 class="reference"></h2>'],
)
def test_a_page_is_looked_at_once(part: str) -> None:
    assert len(without_furniture(part * 20_000)) <= len(part) * 20_000

"""Markup within an article: superscripts, ruby, lists, code, and what stands in figures and tables."""

import pytest

from curation.sources.documents.articles.article import read_article
from curation.sources.documents.articles.article_files import articles_in


def text_of(body: str) -> str:
    return read_article(next(articles_in(f"<article><body>{body}</body></article>".encode()))).text


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        pytest.param("3 × 10<sup>6</sup> m<sup>−2</sup> of H<sub>2</sub>O", "3 × 10^6 m^−2 of H2O", id="exponents"),
        pytest.param("<italic>x</italic><sup>2<sup>n</sup></sup>", "x^(2^n)", id="one within one"),
        pytest.param("SO<sub>4</sub><sup>2−</sup>", "SO4^2−", id="a charge behind a subscript"),
        pytest.param("5<sup>1</sup>/<sub>2</sub> mills", "5 1/2 mills", id="a mixed number"),
        pytest.param("the 21<sup>st</sup> mill<sup>1</sup>.", "the 21st mill.", id="an ordinal and a note"),
        pytest.param('m<sup><xref ref-type="bibr">3</xref></sup>.', "m.", id="a citation in a superscript"),
        pytest.param('m<xref ref-type="fn"><sup>a</sup></xref>.', "m.", id="a superscript in a note's mark"),
        pytest.param('m<sup><xref rid="x">a</xref></sup>.', "m.", id="a reference of no kind"),
        pytest.param('m<sup><xref ref-type="fig">2</xref></sup>.', "m^2.", id="a figure's number"),
        pytest.param(
            'mill <sup><xref ref-type="bibr">3</xref>–<xref ref-type="bibr">5</xref></sup>.', "mill.", id="a range"
        ),
        pytest.param(
            'Cl<sup>–</sup> and Cl<sup>–,<xref ref-type="fn">1</xref></sup>', "Cl^– and Cl", id="a charge is no range"
        ),
        pytest.param("<ruby><rb>水車</rb><rp>(</rp><rt>すいしゃ</rt></ruby>です", "水車です", id="ruby"),
        pytest.param("use <code>a  b</code> here", "use a b here", id="code in a sentence"),
    ],
)
def test_in_a_paragraph(paragraph: str, expected: str) -> None:
    assert text_of(f"<p>{paragraph}</p>") == expected


def test_superscripts_of_the_front() -> None:
    front = (
        "<front><article-meta><title-group><article-title>10<sup>6</sup> mills</article-title></title-group>"
        "<abstract><p>Of m<sup>2</sup>.</p></abstract></article-meta></front>"
    )
    article = f"<article>{front}<body><p>Words.</p></body></article>".encode()
    assert read_article(next(articles_in(article))).text == "10^6 mills\nOf m^2.\nWords."


def items(*texts: str) -> str:
    return "".join(f"<list-item><p>{text}</p></list-item>" for text in texts)


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        pytest.param(f"<list>{items('a', 'b')}</list>", "a\nb", id="no kind"),
        pytest.param(f'<list list-type="bullet">{items("a")}</list>', "a", id="bullets"),
        pytest.param(f'<list list-type="order">{items("a", "b")}</list>', "1. a\n2. b", id="numbers"),
        pytest.param(f'<list list-type="alpha-lower">{items("a", "b")}</list>', "a. a\nb. b", id="letters"),
        pytest.param(f'<list list-type="roman-upper">{items("a", "b")}</list>', "I. a\nII. b", id="Roman numerals"),
        pytest.param(
            f'<list list-type="order" prefix-word="Step">{items("a")}</list>',
            "Step 1. a",
            id="a word before the number",
        ),
        pytest.param(
            f'<list list-type="order" id="l">{items("a", "b")}</list><p>c</p>'
            f'<list list-type="order" continued-from="l">{items("d")}</list>',
            "1. a\n2. b\nc\n3. d",
            id="a list that goes on",
        ),
        pytest.param(
            "<list><list-item><label>(iv)</label><p>a</p></list-item><list-item><label>•</label><p>b</p></list-item></list>",
            "(iv) a\nb",
            id="labels",
        ),
        pytest.param(
            '<list list-type="order"><list-item><p>a</p><p>b</p>'
            f'<list list-type="order">{items("c")}</list></list-item>{items("d")}</list>',
            "1. a\nb\n1. c\n2. d",
            id="a list within",
        ),
        pytest.param(
            '<list list-type="order"><list-item><preformat>  a\n b</preformat></list-item></list>',
            "1.\n```\n  a\n b\n```",
            id="code in an item",
        ),
        pytest.param('<list list-type="order"><list-item/></list><p>a</p>', "1.\na", id="an empty item"),
    ],
)
def test_lists(listed: str, expected: str) -> None:
    assert text_of(listed) == expected


CODE = "if a:\n    b &lt; c\n"
FENCED = "```\nif a:\n    b < c\n```"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param(f"<code>{CODE}</code>", FENCED, id="code"),
        pytest.param(f"<p>See <code>{CODE}</code> here.</p>", f"See\n{FENCED}\nhere.", id="in a paragraph"),
        pytest.param("<preformat>a  b</preformat>", "```\na  b\n```", id="one line"),
        pytest.param("<preformat>```\na</preformat>", "````\n```\na\n````", id="fences in it"),
        pytest.param("<p>a</p><preformat> \n </preformat>", "a", id="nothing"),
        pytest.param(
            f"<fig><label>1</label><caption><p>A map</p></caption><code>{CODE}</code>"
            "<disp-quote><p>Said.</p></disp-quote><graphic/></fig>",
            f"A map\n{FENCED}\nSaid.",
            id="code and quotes in a figure",
        ),
        pytest.param(
            f"<table-wrap><table><tr><td>a</td><td><preformat>{CODE}</preformat></td><td>b</td><td>c</td></tr></table></table-wrap>",
            f"a\n{FENCED}\nb | c",
            id="code in a table",
        ),
        pytest.param(
            "<table-wrap><alternatives><graphic/><table><tr><td>a</td><td>m<sup>2</sup></td></tr></table></alternatives>"
            "</table-wrap>",
            "a | m^2",
            id="a table beside its picture",
        ),
        pytest.param(
            "<table-wrap><table><tr><td>a</td><td/></tr><tr><td/><td/></tr><tr><td/><td>b</td></tr></table></table-wrap>",
            "a | \n | b",
            id="an empty row of a table",
        ),
        pytest.param("<fig><alternatives><graphic/><media/></alternatives></fig><p>a</p>", "a", id="pictures alone"),
    ],
)
def test_code_and_figures(markup: str, expected: str) -> None:
    assert text_of(markup) == expected


BIBR = '<xref ref-type="bibr">{}</xref>'
PICTURE = "<inline-formula><inline-graphic/></inline-formula>"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param(f"<p>a<sup>{BIBR}</sup> b</p>".format(4), "a b", id="a citation in a superscript"),
        pytest.param(f"<p>a.<sup>{BIBR},{BIBR}</sup> B</p>".format(4, 5), "a. B", id="two in one"),
        pytest.param(f"<p>a<sup>{BIBR}–9,12</sup></p>".format(4), "a", id="one with a link and some without"),
        pytest.param(
            f"<p>a.{BIBR}<sup>,</sup>{BIBR} B</p>".format("<sup>1</sup>", "<sup>2</sup>"), "a. B", id="one in each"
        ),
        pytest.param(f"<p>a<sup>(</sup>{BIBR}<sup>)</sup>.</p>".format(4), "a.", id="raised brackets"),
        pytest.param(f"<p>10<sup>5</sup> cells{BIBR}</p>".format(" [1]"), "10^5 cells", id="no citation"),
        pytest.param(f"<p>{BIBR} found</p>".format("Doe (2001)"), "Doe (2001) found", id="names in a sentence"),
        pytest.param(f"<p>the rate ({PICTURE}), {PICTURE}, is</p>", "the rate, is", id="formulas that are pictures"),
        pytest.param("<p>a (\n  <xref>Fig. 1</xref>\n ), b\n , c</p>", "a (Fig. 1), b, c", id="an indented file"),
        pytest.param(
            "<disp-quote><verse-group><verse-line>Green,</verse-line><verse-line>brown.</verse-line></verse-group>"
            "<attrib>Doe</attrib></disp-quote>",
            "Green,\nbrown.\nDoe",
            id="verse",
        ),
        pytest.param("<speech><speaker>A</speaker><p>Well.</p></speech>", "A\nWell.", id="a speaker"),
        pytest.param(
            "<table-wrap><table><tgroup><tbody><row><entry><p>a</p><p>b</p></entry><entry>c</entry></row></tbody>"
            "</tgroup></table></table-wrap>",
            "a b | c",
            id="a table as OASIS has it",
        ),
        pytest.param(
            "<p>a <alternatives><inline-graphic/><tex-math>x</tex-math></alternatives></p>", "a $x$", id="TeX"
        ),
        pytest.param("<media><caption><p>A film.</p></caption></media>", "A film.", id="a film"),
        pytest.param("<fig><caption><p>DOI: http://a.example/1</p><p>A map.</p></caption></fig>", "A map.", id="a DOI"),
        pytest.param("<p>(0.2 MB PDF)</p><p>(DOC)</p><p>(A)</p>", "(A)", id="kinds of files"),
        pytest.param("<p>a<fn><p>A note.</p></fn>, b</p>", "a, b", id="a note in a sentence"),
        pytest.param("<p>a<index-term><term>pear</term></index-term> b</p>", "a b", id="a term of the index"),
    ],
)
def test_what_publishers_write(markup: str, expected: str) -> None:
    assert text_of(markup) == expected

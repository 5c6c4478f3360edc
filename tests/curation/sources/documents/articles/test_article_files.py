"""The articles in a file, and names of characters and namespaces that a DTD declares."""

import pytest

from curation.sources.documents.articles.article import read_article
from curation.sources.documents.articles.article_files import NoArticleError, articles_in


def text_of(content: str) -> str:
    (article,) = articles_in(content.encode())
    return read_article(article).text


@pytest.mark.parametrize("doctype", ["", '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS//EN" "JATS.dtd">'])
def test_characters_by_their_names(doctype: str) -> None:
    body = "<p>a &mdash;&nbsp;b &lt; c &amp; <![CDATA[&mdash;]]></p>"
    assert text_of(f"{doctype}<article><body>{body}</body></article>") == "a — b < c & &mdash;"


def test_names_that_html_does_not_have() -> None:
    body = "<p>&rgr; &THgr; 16&fdg;5</p>"
    assert text_of(f"<article><body>{body}</body></article>") == "ρ Θ 16°.5"


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        pytest.param(r"<?CDATA ${v}_{\max}<1$?>", r"a ${v}_{\max}<1$ b", id="in an instruction"),
        pytest.param("", "a $x$ b", id="empty beside MathML"),
        pytest.param("<?CDATA $y$", None, id="without an end"),
    ],
)
def test_tex_of_formulas(tex: str, expected: str | None) -> None:
    formula = f"<inline-formula><tex-math>\n{tex}\n</tex-math><math><mi>x</mi></math></inline-formula>"
    content = f"<article><body><p>a {formula} b</p></body></article>"
    if expected is None:
        with pytest.raises(NoArticleError, match="damaged"):
            text_of(content)
    else:
        assert text_of(content) == expected


def test_pictures_that_are_declared_as_entities() -> None:
    declared = '<!DOCTYPE article [<!NOTATION gif SYSTEM "gif"><!ENTITY f1 SYSTEM "f1.gif" NDATA gif>]>'
    assert text_of(f"{declared}<article><body><p>Kept.</p></body></article>") == "Kept."


@pytest.mark.parametrize(
    "used", [pytest.param("<p>&b;</p>", id="in text"), pytest.param('<p id="&b;">a</p>', id="in an attribute")]
)
def test_entities_that_a_file_declares_and_uses(used: str) -> None:
    with pytest.raises(NoArticleError, match="entities"):
        text_of(f'<!DOCTYPE article [<!ENTITY b "ha">]><article><body>{used}</body></article>')


def test_namespaces_that_a_file_leaves_to_its_dtd() -> None:
    formula = "<inline-formula><mml:math><mml:mi>x</mml:mi></mml:math></inline-formula>"
    body = f'<p>{formula} <ext-link xlink:href="http://a.example">here</ext-link></p>'
    assert text_of(f"<article><body>{body}</body></article>") == "$x$ here"


def test_a_prefix_that_no_dtd_declares() -> None:
    with pytest.raises(NoArticleError, match="damaged"):
        text_of("<article><body><ce:para>a</ce:para></body></article>")


@pytest.mark.parametrize(
    ("envelope", "expected"),
    [
        pytest.param("<pmc-articleset>{}{}</pmc-articleset>", ["a", "b"], id="of PubMed Central"),
        pytest.param(
            '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords><record>{}</record><record>{}</record>'
            "</ListRecords></OAI-PMH>",
            ["a", "b"],
            id="of OAI-PMH",
        ),
    ],
)
def test_an_envelope_with_several_articles(envelope: str, expected: list[str]) -> None:
    content = envelope.format(*(f"<article><body><p>{text}</p></body></article>" for text in "ab"))
    assert [read_article(article).text for article in articles_in(content.encode())] == expected


def test_articles_of_another_publisher_format() -> None:
    with pytest.raises(NoArticleError, match="not_jats"):
        text_of('<article xmlns="http://www.elsevier.com/xml/ja/dtd"><body>a</body></article>')

"""Pages that are no articles, in dumps that say so and in those that do not."""

import pytest

from curation.sources.documents.mediawiki.dump import WikiPage, WikiSite
from curation.sources.documents.mediawiki.page_kinds import is_disambiguation, is_redirect, not_an_article

SITE = WikiSite("de", "https://de.wikipedia.org/wiki", {0: "", 1: "Diskussion", 10: "Vorlage"})


def page(title: str, text: str = "Text", namespace: int | None = None, model: str = "wikitext") -> WikiPage:
    return WikiPage(0, 0, title, 1, namespace, False, 2, "", model, text)


@pytest.mark.parametrize(
    ("found", "cause"),
    [
        (page("A"), None),
        (page("A", namespace=10), "namespace.10"),
        (page("A", namespace=4711), "namespace.unknown"),
        (page("Diskussion:A"), "namespace.1"),
        (page("Vorlage:A"), "namespace.10"),
        (page("Talk:A"), "namespace.1"),
        (page("Star Trek: A"), None),
        (page("Diskussion:A", namespace=0), None),
        (page("A", "#WEITERLEITUNG [[B]]"), "redirect"),
        (page("A", "{{Begriffsklärung}}"), "disambiguation"),
        (page("A", "{}", model="json"), "model"),
    ],
)
def test_what_is_no_article(found: WikiPage, cause: str | None) -> None:
    assert not_an_article(found, SITE) == cause


@pytest.mark.parametrize(
    ("wikitext", "leads"),
    [
        ("#REDIRECT [[A]]", True),
        ("\n# redirect: [[A]]", True),
        ("#перенаправление [[A]]", True),
        ("＃転送 [[A]]", True),
        ("# first [[A]]", False),
        ("a #REDIRECT [[A]]", False),
    ],
)
def test_a_redirect_is_told_by_its_word(wikitext: str, leads: bool) -> None:
    assert is_redirect(wikitext) == leads


@pytest.mark.parametrize(
    ("wikitext", "lists"),
    [("{{disambig}} a", True), ("{{Homonymie}}", True), ("a __DISAMBIG__", True), ("{{Info|disambig}}", False)],
)
def test_disambiguation(wikitext: str, lists: bool) -> None:
    assert is_disambiguation(wikitext) == lists

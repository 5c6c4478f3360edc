"""Tells pages of a wiki that are no articles: redirects, lists of a word's meanings, pages of other namespaces."""

import re

from curation.sources.documents.mediawiki.dump import WikiPage, WikiSite
from curation.sources.documents.mediawiki.local_names import REDIRECTS
from curation.sources.documents.mediawiki.templates import DISAMBIGUATION

_NAMESPACES = dict(
    enumerate(
        "talk,user,user talk,wikipedia,wikipedia talk,file,file talk,mediawiki,mediawiki talk,template".split(","), 1
    )
) | {11: "template talk", 12: "help", 13: "help talk", 14: "category", 15: "category talk"}
_CALL = re.compile(r"\{\{([^{}|]{1,80})(?:\||\}\})")
_REDIRECT = re.compile(r"\s*[#＃]\s*([^\s\[:#]{2,40})\s{0,20}:?\s{0,20}\[\[")


def not_an_article(page: WikiPage, site: WikiSite) -> str | None:
    """The cause for which a page is passed over; None for an article."""
    if space := _namespace(page, site):
        return f"namespace.{space}" if space in site.namespaces or space in _NAMESPACES else "namespace.unknown"
    if page.redirect or is_redirect(page.text):
        return "redirect"
    if page.model != "wikitext":
        return "model"
    return "disambiguation" if is_disambiguation(page.text) else None


def _namespace(page: WikiPage, site: WikiSite) -> int:
    """The number that the page states, else that of the name with which its title begins."""
    if page.namespace is not None:
        return page.namespace
    prefix, colon, _ = page.title.partition(":")
    named = {name.lower(): number for number, name in (*_NAMESPACES.items(), *site.namespaces.items())}
    return named.get(prefix.strip().lower(), 0) if colon else 0


def is_redirect(wikitext: str) -> bool:
    """Whether a page only leads to another, in any language; dumps before 2010 say so nowhere else."""
    begin = _REDIRECT.match(wikitext[:200])
    return begin is not None and begin[1].lower() in REDIRECTS


def is_disambiguation(wikitext: str) -> bool:
    """Whether a page lists meanings of a word, by its magic word or a template of a known wiki."""
    names = (match[1].replace("_", " ").strip().lower() for match in _CALL.finditer(wikitext))
    return "__DISAMBIG__" in wikitext or any(name in DISAMBIGUATION for name in names)

"""An article, or a part of one such as its translation or a reply, with what its front says of it.

A part has the article's journal, and its DOI, licence and date where it has none of its own. A reply or a
review is in the article's language unless it names another; a translation that names none is in an unknown one.

Source: NISO Z39.96-2021, "JATS: Journal Article Tag Suite" (1.3).
"""

from dataclasses import dataclass
from itertools import islice

from curation.sources.documents.articles.article_files import NoArticleError
from curation.sources.documents.articles.article_text import front_lines, lines_of
from curation.sources.documents.articles.elements import Element, first, name_of, words_of
from curation.sources.documents.articles.publication_dates import publication_date
from curation.sources.documents.articles.stated_licences import stated_licence

LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_FIRST = 8  # children of an article, among which its front is; an article may have any number of parts behind it
_TITLES = ("journal-meta/journal-title-group/journal-title", "journal-meta/journal-title")
_FLOATS = ("floats-group", "floats-wrap")
_APPENDICES = ("back/app-group/app", "back/app")


@dataclass(frozen=True)
class Article:
    """`date` is ISO 8601, cut where the front says no more; what it does not say is None."""

    text: str
    doi: str | None
    pmcid: str | None
    date: str | None
    licence: str | None
    language: str | None
    journal: str | None
    kind: str | None  # research-article, review-article, translation, …


def read_article(article: Element) -> Article:
    """Raises NoArticleError: "retraction" or "no_body"."""
    kind = _kind(article)
    if kind == "retraction":
        raise NoArticleError("retraction")
    text = _text(article)
    levels = [article, *article.iterancestors("{*}sub-article", "{*}response", "{*}article")]
    fronts = [_front(level) for level in levels]
    metas = [_meta(front) for front in fronts]
    ids = [_ids(meta) for meta in metas]
    return Article(
        text=text,
        doi=next(filter(None, (one.get("doi") for one in ids)), None),
        pmcid=next(filter(None, (one.get("pmcid") or one.get("pmc") for one in ids)), None),
        date=next(filter(None, map(publication_date, metas)), None),
        licence=next(filter(None, map(stated_licence, metas)), None),
        language=_language(levels),
        journal=_journal(fronts[-1]),
        kind=kind,
    )


def _text(article: Element) -> str:
    body = first(article, "body")
    lines = [*front_lines(_meta(_front(article))), *(lines_of(body) if body is not None else ())]
    for path in (*_FLOATS, *_APPENDICES):
        for part in article.iterfind("/".join(f"{{*}}{name}" for name in path.split("/"))):
            lines += lines_of(part)
    text = "\n".join(filter(None, lines))
    if body is None or not text:
        raise NoArticleError("no_body")
    return text


def _front(article: Element) -> Element | None:
    return next((child for child in islice(article, _FIRST) if name_of(child) in ("front", "front-stub")), None)


def _meta(front: Element | None) -> Element | None:
    if front is None:
        return None
    meta = first(front, "article-meta")
    return front if meta is None else meta


def _journal(front: Element | None) -> str | None:
    titles = (words_of(first(front, path)) for path in _TITLES) if front is not None else ()
    return next(filter(None, titles), None)


def _ids(meta: Element | None) -> dict[str | None, str]:
    return {} if meta is None else {one.get("pub-id-type"): words_of(one) for one in meta.iterfind("{*}article-id")}


def _kind(article: Element) -> str | None:
    stated: str | None = article.get("article-type") or article.get("response-type")
    return stated or (None if name_of(article) == "article" else name_of(article))


def _language(levels: list[Element]) -> str | None:
    """The language that the nearest level states, up to a translation; "EN" is "en"."""
    for level in levels:
        language: str | None = level.get(LANGUAGE)
        if language or _kind(level) == "translation":
            return language.lower() if language and language.isupper() else language
    return None

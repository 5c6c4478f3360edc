"""An article in JATS as plain text, with what its front says of it.

Title and headings are lines of their own, paragraphs and items of lists too; a table's row is a line with " | " between
its cells. Formulas are TeX between dollars: `tex-math` as it is, MathML as `mathml-to-latex` writes it, or its
`alttext`. References, and where the text cites them, are left out, with footnotes, acknowledgements and all else behind
the body but appendices.

Source: NISO Z39.96-2021, "JATS: Journal Article Tag Suite" (1.3).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from lxml import etree

Element: TypeAlias = Any  # of lxml

HREF = "{http://www.w3.org/1999/xlink}href"
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
MAX_DEPTH = 200  # elements within elements
_MATHML = "{http://www.w3.org/1998/Math/MathML}math"
_DROPPED = frozenset("ref-list fn-group fn table-wrap-foot object-id label alternatives graphic media ack".split())
_BLOCKS = frozenset("p title list list-item table-wrap fig sec disp-formula disp-quote boxed-text def-list tr".split())
_PARTS = ("year", "month", "day")
_CITES = ("bibr", "fn", "table-fn")
_CITED = re.compile(r"[ \t]*[\[(](?:[\s,;–-]|and|see)*[\])]")  # what is left of brackets whose citations are gone
_BLANKS = re.compile(r"\s+")
_TEX_BODY = re.compile(r"\\begin\{document\}(.*?)\\end\{document\}", re.DOTALL)


class NoArticleError(ValueError):
    """What is read is no article; says why, in a word for a count."""


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
    kind: str | None  # research-article, review-article, …


def read_article(content: bytes) -> Article:
    """Raises NoArticleError. Entities are not expanded, and nothing is loaded."""
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise NoArticleError("damaged") from error
    declared = root.getroottree().docinfo.internalDTD
    if declared is not None and next(iter(declared.entities()), None) is not None:
        raise NoArticleError("entities")
    article = root if _name(root) == "article" else next((one for one in root.iter("{*}article")), None)
    if article is None:
        raise NoArticleError("not_jats")
    if article.get("article-type") == "retraction":
        raise NoArticleError("retraction")
    meta = _first(article, "front/article-meta")
    body = _first(article, "body")
    lines = [*_front_lines(meta), *(_lines(body, 0) if body is not None else ())]
    for appendix in article.iterfind("{*}back/{*}app-group/{*}app"):
        lines += _lines(appendix, 0)
    text = "\n".join(line for line in map(_tidied, lines) if line)
    if body is None or not text:
        raise NoArticleError("no_body")
    ids = {one.get("pub-id-type"): _words(one) for one in (meta.iterfind("{*}article-id") if meta is not None else ())}
    journal = _first(article, "front/journal-meta/journal-title-group/journal-title")
    return Article(
        text=text,
        doi=ids.get("doi"),
        pmcid=ids.get("pmcid") or ids.get("pmc"),
        date=_date(meta),
        licence=_licence(meta),
        language=article.get(LANGUAGE),
        journal=None if journal is None else _words(journal) or None,
        kind=article.get("article-type"),
    )


def _front_lines(meta: Element | None) -> Iterator[str]:
    if meta is None:
        return
    title = _first(meta, "title-group/article-title")
    if title is not None:
        yield _inline(title, 0)
    for abstract in meta.iterfind("{*}abstract"):
        yield from _lines(abstract, 0)


def _lines(element: Element, depth: int) -> Iterator[str]:
    """Of an element that holds blocks, or of one that is a line."""
    name = _name(element)
    if name in _DROPPED or depth > MAX_DEPTH:
        return
    if name == "tr":
        yield " | ".join(_tidied(_inline(cell, depth)) for cell in element if isinstance(cell.tag, str))
    elif name == "disp-formula":
        yield _inline_of(element, depth)
    else:
        yield from _mixed(element, depth)


def _mixed(element: Element, depth: int) -> Iterator[str]:
    """Of text with blocks in it: a line ends where one begins."""
    waiting = element.text or ""
    for child in element:
        if _holds_blocks(child):
            yield waiting
            yield from _lines(child, depth + 1)
            waiting = ""
        else:
            waiting += _inline_of(child, depth + 1)
        waiting += child.tail or ""
    yield waiting


def _holds_blocks(element: Element) -> bool:
    return any(_name(one) in _BLOCKS for one in element.iter())


def _inline(element: Element, depth: int) -> str:
    """The text in an element."""
    parts = [element.text or ""]
    for child in element:
        parts += [_inline_of(child, depth + 1), child.tail or ""]
    return "".join(parts)


def _inline_of(element: Element, depth: int) -> str:
    name = _name(element)
    if element.tag == _MATHML or name == "tex-math":
        return _formula(element)
    if name in ("inline-formula", "disp-formula") and (found := _best_formula(element)) is not None:
        return _formula(found)
    if name in _DROPPED or depth > MAX_DEPTH or (name == "xref" and element.get("ref-type") in _CITES):
        return ""
    return f" {_inline(element, depth)} " if name in ("break", "td", "th") else _inline(element, depth)


def _best_formula(element: Element) -> Element | None:
    """Of several writings of a formula its TeX."""
    return (
        next(element.iter("{*}tex-math"), None)
        if next(element.iter("{*}tex-math"), None) is not None
        else next(element.iter(_MATHML), None)
    )


def _formula(element: Element) -> str:
    if element.tag == _MATHML:
        tex = _tex_of(element) or element.get("alttext") or "".join(element.itertext())
    else:
        written = "".join(element.itertext())
        body = _TEX_BODY.search(written)
        tex = body[1] if body else written
    tex = _BLANKS.sub(" ", tex).strip().strip("$").strip()
    return f"${tex}$" if tex else ""


def _tex_of(mathml: Element) -> str | None:
    from mathml_to_latex.converter import MathMLToLaTeX  # few articles have no TeX

    plain = etree.fromstring(etree.tostring(mathml, with_tail=False))
    for one in plain.iter():
        if isinstance(one.tag, str):
            one.tag = _name(one)
    etree.cleanup_namespaces(plain)
    try:
        return str(MathMLToLaTeX.convert(etree.tostring(plain, encoding="unicode"))) or None
    except Exception:  # the library raises whatever its parts do for MathML with parts missing
        return None


def _licence(meta: Element | None) -> str | None:
    """The address that a licence names, else its words."""
    licence = _first(meta, "permissions/license") if meta is not None else None
    if licence is None:
        return None
    reference = next(licence.iter("{*}license_ref"), None)
    links = (one.get(HREF) for one in licence.iter("{*}ext-link"))
    stated = (licence.get(HREF), None if reference is None else _words(reference), *links, _words(licence))
    return next((one for one in stated if one), None)


def _date(meta: Element | None) -> str | None:
    """The first day that it came out on."""
    dates = meta.iterfind("{*}pub-date") if meta is not None else ()
    return min(filter(None, map(_day, dates)), default=None)


def _day(date: Element) -> str | None:
    """ISO 8601, as far as it is stated."""
    year, month, day = ("" if one is None else _words(one) for one in (_first(date, name) for name in _PARTS))
    if not re.fullmatch(r"\d{4}", year):
        return None
    if not re.fullmatch(r"\d{1,2}", month):
        return year
    return f"{year}-{month:0>2}-{day:0>2}" if re.fullmatch(r"\d{1,2}", day) else f"{year}-{month:0>2}"


def _first(element: Element, path: str) -> Element | None:
    return element.find("/".join(f"{{*}}{name}" for name in path.split("/")))


def _words(element: Element) -> str:
    return _tidied("".join(element.itertext()))


def _tidied(line: str) -> str:
    return _BLANKS.sub(" ", _CITED.sub("", line)).strip()


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""

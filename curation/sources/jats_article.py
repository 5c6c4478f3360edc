"""An article in JATS as plain text, with what its front says of it.

Title and headings are lines of their own, paragraphs and items of lists too, those of ordered lists with their numbers.
A table's row is a line with " | " between its cells. Code stands as it is between fences, also that of a cell.
Superscripts are as `text/html/superscripts` has them; formulas are TeX between dollars. References, and where the text
cites them, are left out, with ruby readings, footnotes, acknowledgements and all else behind the body but appendices.

Source: NISO Z39.96-2021, "JATS: Journal Article Tag Suite" (1.3).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from lxml import etree

from curation.sources.jats_code import BLOCK, CODE, fenced, mark_code
from curation.sources.jats_formulas import MATHML, best_formula, formula_of
from curation.sources.jats_lists import MARKER, mark_items
from curation.text.html.inline_marks import LOWERED, raised, resolved

Element: TypeAlias = Any  # of lxml

HREF = "{http://www.w3.org/1999/xlink}href"
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
MAX_DEPTH = 200  # elements within elements
_DROPPED = frozenset("ref-list fn-group fn table-wrap-foot object-id label graphic media ack rt rp".split())
_BLOCKS = frozenset("p title list list-item table-wrap fig sec disp-formula disp-quote boxed-text def-list tr".split())
_READABLE = frozenset("table code preformat textual-form list disp-quote".split())  # of several writings, this one
_PARTS = ("year", "month", "day")
_CITES = ("bibr", "fn", "table-fn", "aff", "author-notes", "corresp")
_REFERS = ("fig", "table", "sec", "disp-formula", "app", "list", "boxed-text", "supplementary-material")  # by words
_CITED = re.compile(r"[ \t]*[\[(](?:[\s,;–-]|and|see)*[\])]")  # what is left of brackets whose citations are gone
_BLANKS = re.compile(r"\s+")


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
    mark_items(article)
    mark_code(article)
    lines = [*_front_lines(meta), *(_lines(body, 0) if body is not None else ())]
    for appendix in article.iterfind("{*}back/{*}app-group/{*}app"):
        lines += _lines(appendix, 0)
    text = "\n".join(filter(None, lines))
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
        yield _tidied(_inline(title, 0))
    for abstract in meta.iterfind("{*}abstract"):
        yield from _lines(abstract, 0)


def _lines(element: Element, depth: int) -> Iterator[str]:
    """Yields the lines of an element that holds blocks or is a line itself; some lines are empty."""
    name = _name(element)
    if name in _DROPPED or depth > MAX_DEPTH:
        return
    if name == "tr":
        yield from _row(element, depth)
    elif name == "disp-formula":
        yield _tidied(_inline_of(element, depth))
    elif element.get(CODE) == BLOCK:
        yield fenced(element)
    elif name == "alternatives":
        for child in _readable(element):
            yield from _lines(child, depth + 1)
    elif name == "list-item" and (marker := element.get(MARKER)):
        yield from _item(marker, _mixed(element, depth))
    else:
        yield from _mixed(element, depth)


def _mixed(element: Element, depth: int) -> Iterator[str]:
    """Of text with blocks in it: a line ends where one begins."""
    waiting = element.text or ""
    for child in element:
        if _holds_blocks(child):
            yield _tidied(waiting)
            yield from _lines(child, depth + 1)
            waiting = ""
        else:
            waiting += _inline_of(child, depth + 1)
        waiting += child.tail or ""
    yield _tidied(waiting)


def _holds_blocks(element: Element) -> bool:
    return element.get(CODE) is not None or any(_name(one) in _BLOCKS for one in element.iter())


def _row(row: Element, depth: int) -> Iterator[str]:
    """A line of a table's row; a cell with code ends it and is a block by itself."""
    cells: list[str] = []
    for cell in row:
        if cell.get(CODE) is not None:
            yield " | ".join(cells)
            yield from _mixed(cell, depth)
            cells.clear()
        elif isinstance(cell.tag, str):
            cells.append(_tidied(_inline(cell, depth)))
    yield " | ".join(cells)


def _item(marker: str, lines: Iterator[str]) -> Iterator[str]:
    """An item's lines, the first of them behind its marker; code keeps a line of its own."""
    first = next(filter(None, lines), "")
    yield f"{marker}\n{first}" if first.startswith("```") else f"{marker} {first}".rstrip()
    yield from lines


def _readable(alternatives: Element) -> list[Element]:
    """The first of several writings that is no picture, if there is one."""
    return [one for one in alternatives if _name(one) in _READABLE][:1]


def _inline(element: Element, depth: int) -> str:
    """The text in an element."""
    parts = [element.text or ""]
    for child in element:
        parts += [_inline_of(child, depth + 1), child.tail or ""]
    return "".join(parts)


def _inline_of(element: Element, depth: int) -> str:
    name = _name(element)
    if element.tag == MATHML or name == "tex-math":
        return formula_of(element)
    if name in ("inline-formula", "disp-formula") and (found := best_formula(element)) is not None:
        return formula_of(found)
    if name in _DROPPED or depth > MAX_DEPTH or (name == "xref" and element.get("ref-type") in _CITES):
        return ""
    if name == "alternatives":
        return "".join(_inline_of(one, depth + 1) for one in _readable(element))
    if name == "sup":
        return _superscript(element, depth)
    if name == "sub" and _is_below(element):
        return LOWERED + _inline(element, depth)
    return f" {_inline(element, depth)} " if name in ("break", "td", "th") else _inline(element, depth)


def _is_below(sub: Element) -> bool:
    """Whether a subscript stands behind a slash, as the lower half of a fraction."""
    before = sub.getprevious()
    text = sub.getparent().text if before is None else before.tail
    return (text or "").endswith(("/", "∕"))


def _superscript(element: Element, depth: int) -> str:
    """Between marks, and nothing between them where only commas and signs are left of citations and notes."""
    content = _inline(element, depth)
    around = element.getparent()
    links = [around] if _name(around) == "xref" else [] if not len(element) else [*element.iter("{*}xref")]
    kinds = [link.get("ref-type") for link in links]
    if any(kind in _CITES for kind in kinds) and not any(map(str.isalnum, content)):
        content = ""
    return raised(content, linked=any(kind not in _REFERS for kind in kinds))


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
    if not line or line.isspace():  # as most of what is between two elements
        return ""
    text = resolved(_BLANKS.sub(" ", line))
    return (_CITED.sub("", text) if "[" in text or "(" in text else text).strip()


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""

"""An article in JATS as plain text.

Title and headings are lines of their own, paragraphs and items of lists too, those of ordered lists with their numbers.
A table's row is a line with " | " between its cells. Code stands as it is between fences, also that of a cell.
Superscripts are as `text/html/superscripts` has them; formulas are TeX between dollars. References, and where the text
cites them, are left out, with ruby readings, footnotes, acknowledgements and all else behind the body but appendices.
A formula that is a picture alone goes like a citation, with brackets that are empty then.

Source: NISO Z39.96-2021, "JATS: Journal Article Tag Suite" (1.3).
"""

import re
from collections.abc import Iterator

from curation.sources.documents.articles.citations import (
    cited,
    holds_citations,
    without_citations,
    without_citing_words,
)
from curation.sources.documents.articles.code_blocks import BLOCK, CODE, fenced
from curation.sources.documents.articles.elements import Element, first, name_of
from curation.sources.documents.articles.formulas import MATHEMATICS, best_formula, formula_of, is_picture
from curation.sources.documents.articles.lists import MARKER
from curation.text.html.inline_marks import LOWERED, raised, resolved

MAX_DEPTH = 200  # elements within elements
_DROPPED = frozenset(
    "ref-list fn-group fn table-wrap-foot object-id label graphic inline-graphic ack rt rp kwd-group permissions"
    " alt-text long-desc index-term treatment-meta".split()
)
_BLOCKS = frozenset(
    "p title list list-item table-wrap fig sec disp-formula disp-quote boxed-text def-list def term tr row verse-group"
    " verse-line speech speaker attrib statement".split()
)
_SPACED = _BLOCKS | frozenset("break td th entry".split())
_PICTURES = frozenset("graphic inline-graphic media inline-media object-id".split())  # of several writings, another one
_FORMULAS = ("inline-formula", "disp-formula")
_HOLDING_FORMULAS = (*_FORMULAS, "alternatives")
_NOTES = ("fn", "table-fn", "aff", "author-notes", "corresp")
_REFERS = ("fig", "table", "sec", "disp-formula", "app", "list", "boxed-text", "supplementary-material")  # by words
_JOINTS = re.compile(r"[\s,;–—\[\]()-]*")
_LIST_OF_NUMBERS = re.compile(r"[\s\d,;–—\[\]()-]*")
_NO_TEXT = re.compile(  # lines that a publisher puts beside figures and files: an address, a kind of file, a link
    r"DOI:? ?(?:https?://\S+|10\.\S+)|Click here for additional data file\.?|\((?:\d{1,9}(?:\.\d{1,3})? ?[KMG]B )?"
    r"(?:PDF|DOCX?|XLSX?|PPTX?|TIFF?|EPS|PNG|JPE?G|GIF|MOV|AVI|MP[34G]|MPEG|WMV|ZIP|RAR|GZ|RTF|TXT|CSV|XML|HTML?)\)"
)
_OPENED = re.compile(r"([(\[])\n\s*+")  # lines that a program indented, where no space was
_NEW_LINE = re.compile(r"\n\s*+")
_BROKEN = re.compile(r"\n(?=[),;\]]|[.:](?:\s|\Z))")
_BLANKS = re.compile(r"\s+")


def front_lines(meta: Element | None) -> Iterator[str]:
    """The lines of the title, the subtitle and the abstracts."""
    if meta is None:
        return
    for path in ("title-group/article-title", "title-group/subtitle"):
        if (title := first(meta, path)) is not None:
            yield _tidied(_inline(title, 0))
    for abstract in meta.iterfind("{*}abstract"):
        yield from _lines(abstract, 0)


def lines_of(element: Element) -> Iterator[str]:
    """The lines of what holds blocks; some are empty."""
    return _lines(element, 0)


def _lines(element: Element, depth: int) -> Iterator[str]:
    """Yields the lines of an element that holds blocks or is a line itself; some lines are empty."""
    name = name_of(element)
    if name in _DROPPED or depth > MAX_DEPTH:
        return
    if name in ("tr", "row"):
        yield from _row(element, depth)
    elif name == "disp-formula":
        yield _tidied(_inline_of(element, depth))
    elif element.get(CODE) == BLOCK:
        yield fenced(element)
    elif name == "alternatives":  # of a table or of text; for a formula's see _inline_of
        for child in _readable(element):
            yield from _lines(child, depth + 1)
    elif name == "list-item" and (marker := element.get(MARKER)):
        yield from _item(marker, _mixed(element, depth))
    else:
        yield from _mixed(element, depth)


def _mixed(element: Element, depth: int) -> Iterator[str]:
    """The lines of text with blocks in it: a line ends where one begins."""
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
    name = name_of(element)
    if name in _DROPPED:
        return False
    if name in _BLOCKS or element.get(CODE) is not None:
        return True
    return len(element) > 0 and any(name_of(one) in _BLOCKS for one in element.iterdescendants())


def _row(row: Element, depth: int) -> Iterator[str]:
    """A line of a table's row, unless all cells are empty; a cell with code ends it and is a block by itself."""
    cells: list[str] = []
    for cell in row:
        if cell.get(CODE) is not None:
            yield " | ".join(cells)
            yield from _mixed(cell, depth)
            cells.clear()
        elif isinstance(cell.tag, str):
            cells.append(_tidied(_inline(cell, depth)))
    yield " | ".join(cells) if any(cells) else ""


def _item(marker: str, lines: Iterator[str]) -> Iterator[str]:
    """An item's lines, the first of them behind its marker; code keeps a line of its own."""
    first = next(filter(None, lines), "")
    yield f"{marker}\n{first}" if first.startswith("```") else f"{marker} {first}".rstrip()
    yield from lines


def _readable(alternatives: Element) -> list[Element]:
    """The first of several writings that is no picture, if there is one."""
    return [one for one in alternatives if name_of(one) not in _PICTURES][:1]


def _inline(element: Element, depth: int) -> str:
    """The text in an element."""
    parts = [element.text or ""]
    for child in element:
        parts += [_inline_of(child, depth + 1), child.tail or ""]
    return "".join(parts)


def _inline_of(element: Element, depth: int) -> str:
    name = name_of(element)
    if name in MATHEMATICS:
        return formula_of(element)
    if name in _HOLDING_FORMULAS and name_of(element.getparent()) not in _FORMULAS:
        if (found := best_formula(element)) is not None:
            return formula_of(found)
        if name in _FORMULAS and is_picture(element):
            return cited("")
    if name in _DROPPED or depth > MAX_DEPTH:
        return ""
    if name == "xref" and (kind := _citing(element)):
        return cited("".join(element.itertext()) if kind == "bibr" else "")
    if name == "alternatives":
        return "".join(_inline_of(one, depth + 1) for one in _readable(element))
    if name == "sup":
        return _superscript(element, depth)
    if name == "sub" and _is_below(element):
        return LOWERED + _inline(element, depth)
    return f" {_inline(element, depth)} " if name in _SPACED else _inline(element, depth)


def _is_below(sub: Element) -> bool:
    """Whether a subscript stands behind a slash, as the lower half of a fraction."""
    before = sub.getprevious()
    text = sub.getparent().text if before is None else before.tail
    return (text or "").endswith(("/", "∕"))


def _superscript(element: Element, depth: int) -> str:
    """Between marks; a citation where only numbers, commas and signs are beside those in it."""
    content = _inline(element, depth)
    if holds_citations(content):
        beside = without_citing_words(content)
        starts = holds_citations(content.lstrip(" [(")[:1])
        if not any(map(str.isalnum, beside)) or (starts and _LIST_OF_NUMBERS.fullmatch(beside)):
            return cited("")
        content = beside
    elif _JOINTS.fullmatch(content) and _joins_citations(element, both="–" in content or "-" in content):
        return cited("")
    around = element.getparent()
    links = [around] if name_of(around) == "xref" else [] if not len(element) else [*element.iter("{*}xref")]
    return raised(content, linked=any(link.get("ref-type") not in _REFERS for link in links))


def _joins_citations(element: Element, *, both: bool) -> bool:
    """Whether a citation stands right before or right behind an element, or on both sides of it."""
    before = element.getprevious()
    behind = element.getnext()
    cites_before = before is not None and not (before.tail or "").strip() and bool(_citing(before))
    cites_behind = behind is not None and not (element.tail or "").strip() and bool(_citing(behind))
    return cites_before and cites_behind if both else cites_before or cites_behind


def _citing(element: Element) -> str:
    """The kind of a reference that cites something or leads to a note; "" of anything else."""
    kind = (element.get("ref-type") or "").lower() if name_of(element) == "xref" else ""
    return kind if kind == "bibr" or kind in _NOTES else ""


def _tidied(line: str) -> str:
    line = line.strip()
    if not line:  # as most of what is between two elements
        return ""
    if "\n" in line:
        line = _BROKEN.sub("", _NEW_LINE.sub("\n", _OPENED.sub(r"\1", line)))
    text = resolved(without_citations(_BLANKS.sub(" ", line))).strip()
    return "" if text.startswith(("(", "DOI", "Click")) and _NO_TEXT.fullmatch(text) else text

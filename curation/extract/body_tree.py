"""Writes the tree that Trafilatura and Etrafilatura make of a page's main text in the normal form.

Their own plain text keeps the line breaks of the page's source inside sentences, mashes an item's paragraphs, writes
tables with pipes and says nowhere which block is a paragraph. The tree is theirs, in TEI's names: p, head, quote, list,
item, table, row, cell, code, lb (a <br>). Other elements are parts of a line.

No step copies a table's text for each table around it, so that nested ones cost no more than their size.
"""

from typing import Any

from curation.extract.marks import CODE_CLOSES, CODE_OPENS
from curation.extract.normal_form import CELL, INDENT, Writer

# Names of HTML that the trees still have in some places.
_IN_TEI = {"tr": "row", "td": "cell", "th": "cell", "li": "item", "ul": "list", "ol": "list", "br": "lb"}
_BLOCKS = frozenset(("p", "head", "quote", "list", "table", "div", "body"))
_INLINE_OF = frozenset(("p", "head", "item", "cell", "hi", "ref", "del"))  # code in these is part of a line


def written(*bodies: Any) -> str:
    """Text of trees, one after the other; None is no tree."""
    writer = Writer()
    for body in bodies:
        if body is not None:
            for element in body.iter(*_IN_TEI):
                element.tag = _IN_TEI[element.tag]
            _children(writer, body, 0)
            writer.blank()
    return without_code_marks(writer.result())


def without_code_marks(text: str) -> str:
    """Text without the marks of `curation.extract.prepare.code_blocks`."""
    return text.replace(CODE_OPENS, "").replace(CODE_CLOSES, "")


def _children(writer: Writer, element: Any, level: int) -> None:
    writer.text(element.text)
    for child in element:
        if isinstance(child.tag, str):
            _element(writer, child, level)
        writer.text(child.tail)


def _element(writer: Writer, element: Any, level: int) -> None:
    """`level`: lists that the element is in."""
    tag = element.tag
    if tag == "lb":
        _break(writer, level)
    elif tag == "list":
        _list(writer, element, level)
    elif tag == "row":
        _row(writer, element, level)
    elif tag in ("cell", "item"):  # outside of a row or list
        writer.line()
        _children(writer, element, level)
        writer.line()
    elif tag == "code" and _is_block(element):
        writer.preformatted(_broken_text(element))
    elif tag in _BLOCKS:
        _apart(writer, level)
        _children(writer, element, level)
        _apart(writer, level)
    else:
        _children(writer, element, level)


def _apart(writer: Writer, level: int) -> None:
    """Lists have no empty lines within."""
    if level:
        writer.line()
    else:
        writer.blank()


def _break(writer: Writer, level: int) -> None:
    if not writer.line():
        _apart(writer, level)


def _list(writer: Writer, element: Any, level: int) -> None:
    _apart(writer, level)
    kind = element.get("rend")
    for number, item in enumerate(element, 1):
        marker = "" if kind == "dl" else f"{number}. " if kind == "ol" else "- "
        writer.mark(INDENT * level + marker)
        _children(writer, item, level + 1)
        writer.mark("")
        writer.text(item.tail)
    _apart(writer, level)


def _row(writer: Writer, row: Any, level: int) -> None:
    if any(map(_is_layout, row)):
        for cell in row:
            _children(writer, cell, level)
            _apart(writer, level)
    else:
        writer.cells(map(_one_line, row))


def _is_layout(cell: Any) -> bool:
    blocks = any(child.tag in _BLOCKS or child.tag == "lb" for child in cell)
    return any(map(_has_lines, cell.iter("code"))) or (blocks and sum(map(len, cell.itertext())) >= CELL)


def _one_line(cell: Any) -> str:
    writer = Writer()
    for unmarked in cell.iter("list"):
        unmarked.set("rend", "dl")
    _children(writer, cell, 0)
    return " ".join(writer.result().split())


def _is_block(code: Any) -> bool:
    within = code.getparent().tag
    if within not in _INLINE_OF or code.find(".//lb") is not None:
        return True
    if within == "item":
        return (code.text or "").startswith(CODE_OPENS)
    return bool(within == "cell" and _has_lines(code))


def _has_lines(code: Any) -> bool:
    return "\n" in _broken_text(code).strip()


def _broken_text(element: Any) -> str:
    """All text of an element, with a line break for each <lb>."""
    for mark in element.iter("lb"):
        mark.text = "\n"
    return without_code_marks("".join(element.itertext()))

"""The text of a post in HTML, as Stack Exchange stores it: blocks with Markdown's marks, code as it is.

Code blocks stand between fences of backticks, longer than any in them. Formulas are in the text between dollars, where
their authors wrote them, and stay so.
"""

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from lxml import etree, html

from curation.core.wording import fence

Element: TypeAlias = Any  # of lxml

MAX_DEPTH = 60  # elements within elements
_BLOCKS = frozenset("p div pre ul ol li blockquote h1 h2 h3 h4 h5 h6 hr table tr dl dt dd".split())
_BLANKS = re.compile(r"[ \t\n\r\f]+")


def post_text(body: str) -> str:
    """Blocks with blank lines between them; "" for a post without text."""
    if not body.strip():
        return ""
    try:
        root = html.fragment_fromstring(body, create_parent="div")
    except (etree.ParserError, ValueError):  # nothing but comments; a character that XML has not
        return ""
    return "\n\n".join(_blocks(root, 0))


def _blocks(element: Element, depth: int) -> Iterator[str]:
    """Of text with blocks in it."""
    waiting = element.text or ""
    for child in element if depth < MAX_DEPTH else ():
        if _name(child) in _BLOCKS:
            yield from _line(waiting)
            yield from _block(child, depth + 1)
            waiting = ""
        else:
            waiting += _inline(child, depth + 1)
        waiting += child.tail or ""
    yield from _line(waiting)


def _block(element: Element, depth: int) -> Iterator[str]:
    name = _name(element)
    if name == "pre":
        code = "".join(element.itertext()).strip("\n")
        around = fence(code)
        yield f"{around}\n{code}\n{around}"
    elif name in ("ul", "ol"):
        items = (child for child in element if _name(child) == "li")
        marks = (f"{number}. " if name == "ol" else "- " for number in range(1, len(element) + 1))
        lines = (_marked(child, mark, depth) for child, mark in zip(items, marks, strict=False))
        yield from filter(None, ["\n".join(filter(None, lines))])
    elif name == "blockquote":
        quoted = "\n\n".join(_blocks(element, depth))
        yield from filter(None, [quoted and re.sub("^", "> ", quoted, flags=re.MULTILINE)])
    elif name == "tr":
        yield from _line(" | ".join(_BLANKS.sub(" ", "".join(cell.itertext())).strip() for cell in element))
    elif name[:1] == "h" and name[1:].isdigit():
        yield from (f"{'#' * int(name[1])} {line}" for line in _line(_inline(element, depth)))
    else:
        yield from _blocks(element, depth)


def _marked(item: Element, mark: str, depth: int) -> str:
    """Of a list, with its further lines below its first."""
    text = "\n".join(_blocks(item, depth))
    return mark + text.replace("\n", "\n" + " " * len(mark)) if text else ""


def _inline(element: Element, depth: int) -> str:
    name = _name(element)
    if not name or depth > MAX_DEPTH:
        return ""
    if name == "br":
        return "\0"
    if name == "img":
        return element.get("alt") or ""
    text = (element.text or "") + "".join(_inline(child, depth + 1) + (child.tail or "") for child in element)
    return f"`{text}`" if name == "code" and text.strip() else text


def _line(text: str) -> Iterator[str]:
    """A paragraph's text, if it has some; lines end where a `br` stood."""
    lines = (_BLANKS.sub(" ", line).strip() for line in text.split("\0"))
    found = "\n".join(lines).strip("\n")
    if found:
        yield found


def _name(element: Element) -> str:
    return element.tag if isinstance(element.tag, str) else ""

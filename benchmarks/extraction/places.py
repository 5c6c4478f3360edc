"""Names what a block of text stands in, for tables of lost text."""

from collections.abc import Sequence
from typing import Any

_NEAR = 3  # levels below <body>
_AROUND = frozenset(("nav", "footer", "header", "aside"))
_ROLES = frozenset(("navigation", "banner", "contentinfo", "complementary", "search"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_FIRST = ("figure", "pre", "table", "form", "dl", "blockquote")  # what is named if a block is in several
NEAR_LIST = f"list within {_NEAR} levels of body"


def place_of(open_elements: Sequence[Any]) -> str:
    """The place of a block inside these elements, the outermost first."""
    tags = [element.tag for element in open_elements]
    if not _AROUND.isdisjoint(tags) or any(element.get("role") in _ROLES for element in open_elements):
        return "navigation, header, footer, aside"
    for name in _FIRST:
        if name in tags:
            return f"in <{name}>"
    lists = [level for level, tag in enumerate(tags) if tag in ("ul", "ol")]
    if lists:
        level = lists[0] - (tags.index("body") if "body" in tags else 0)
        return NEAR_LIST if level <= _NEAR else "in a list further in"
    if not _HEADINGS.isdisjoint(tags):
        return "heading"
    return "paragraph" if "p" in tags else "other"

"""Renders a page with Resiliparse in the normal form.

The library renders white space itself, but its text says nowhere what is preformatted, whose tabs and indents look like
those of tables and lists, and it breaks a table's row at every block and <br> in a cell. So a page that has such tags
is changed before: marks go around preformatted text, and the blocks in the cells of data tables become blanks. A row
with a cell of `CELL` characters and blocks, or with a nested table, a list, a heading, a form, a block that has a name,
or a link in a block is layout and stays: its blocks may be what the library's rules on main content look at. A mark is
two characters long, because version 2.0.1 deletes some texts of a single one of 3 bytes.
"""

from typing import Any

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from curation.extract.normal_form import CELL, CLOSES, OPENS, formed

_TAGS = ("</pre>", "</PRE>", "</table>", "</TABLE>")  # long strings are searched for in less time
_BREAKING = "p, div, br, center"
_ROWS = f"tr:has(td :is({_BREAKING}), th :is({_BREAKING}))"
_LAYOUT = "table, ul, ol, form, h1, h2, h3, h4, p a, div a, p[class], p[id], div[class], div[id]"


def rendered(html: str, **options: Any) -> str:
    """A page's text; `options` are those of the library's `extract_plain_text`."""
    page = _prepared(html) if any(tag in html for tag in _TAGS) else html
    return formed(extract_plain_text(page, **options))


def _prepared(html: str) -> HTMLTree:
    tree = HTMLTree.parse(html.replace(OPENS[0], "").replace(CLOSES[0], ""))
    if tree.body is None:
        return tree
    for block in tree.body.query_selector_all("pre:not(pre pre)"):
        block.prepend(_text(tree, OPENS))
        block.append(_text(tree, CLOSES))
    for row in tree.body.query_selector_all(_ROWS):
        if row.query_selector(_LAYOUT) is None and not any(map(_is_layout, row.children)):
            for block in row.query_selector_all(_BREAKING):
                _unwrap(tree, block)
    return tree


def _is_layout(cell: Any) -> bool:
    return len(cell.text) >= CELL and cell.query_selector(_BREAKING) is not None


def _text(tree: HTMLTree, text: str) -> Any:
    return tree.create_text_node(text)


def _unwrap(tree: HTMLTree, block: Any) -> None:
    """Put a block's content in its place, between blanks."""
    around = block.parent
    around.insert_before(_text(tree, " "), block)
    while block.first_child is not None:
        around.insert_before(block.first_child, block)
    around.replace_child(_text(tree, " "), block)

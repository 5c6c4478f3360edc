"""Code that a page shows as a table, one line a row or with a column of line numbers: it becomes preformatted text.

Pages of repositories and highlighters write code so. Parsers read it as data: they fold its indents and put the numbers
between its lines. A table is code if a cell has "code" or "line_content" among the words of its class ("blob-code",
"rouge-code", "hljs-ln-code") and every other cell is empty or holds nothing but numbers. If the code is preformatted
already, the table around it goes and the <pre> stays.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from curation.extract.blocks.tags import NUMBER
from curation.extract.declared import attributes
from curation.extract.prepare.edits import Edit
from curation.extract.prepare.page_tags import PageTags, elements

_TABLE = NUMBER["table"]
_PRE = NUMBER["pre"]
_TR = NUMBER["tr"]
_CELLS = elements("td th")
_CODE = re.compile(r"(?:^|[\s_-])(?:code|line_content)(?:$|[\s_-])", re.IGNORECASE)
_TAG = re.compile(rb"<[^<>]*>")
_NOT_NUMBERS = re.compile(rb"[^\s0-9.:+-]")
_HINT = re.compile(rb"<t[dh]\b[^<>]{0,200}(?:code|line_content)", re.IGNORECASE)


class CodeCell(NamedTuple):
    """A cell's row, the rows of its tags, and whether it holds code."""

    row: int
    opens: int
    closes: int
    is_code: bool


def tables_of_code(page: bytes, tags: PageTags) -> Iterator[Edit]:
    """Tables of code as preformatted text."""
    names = tags.name
    starts = tags.closes == 0
    tables = np.flatnonzero((names == _TABLE) & starts & (tags.partner >= 0))
    for table in tables.tolist():
        last = int(tags.partner[table])
        inside = slice(table + 1, last)
        if np.any(names[inside] == _TABLE) or not _HINT.search(page, *_bytes_of(tags, table, last)):
            continue
        cells = _cells(page, tags, table, last)
        if cells and any(cell.is_code for cell in cells):
            yield from _as_code(page, tags, table, cells)


def _bytes_of(tags: PageTags, first: int, last: int) -> tuple[int, int]:
    return int(tags.end[first]), int(tags.start[last])


def _cells(page: bytes, tags: PageTags, table: int, last: int) -> list[CodeCell]:
    """The cells of a table, none if one of them is neither code nor numbers."""
    cells: list[CodeCell] = []
    row = 0
    for at in range(table + 1, last):
        name = tags.name[at]
        partner = int(tags.partner[at])
        if tags.closes[at]:
            continue
        row += name == _TR
        if not _CELLS[name]:
            continue
        if not at < partner < last:
            return []
        is_code = _CODE.search(attributes(page[tags.start[at] : tags.end[at]]).get("class", "")) is not None
        if not is_code and _NOT_NUMBERS.search(_TAG.sub(b"", page[slice(*_bytes_of(tags, at, partner))])):
            return []
        cells.append(CodeCell(row, at, partner, is_code))
    return cells


def _as_code(page: bytes, tags: PageTags, table: int, cells: list[CodeCell]) -> Iterator[Edit]:
    """The code cells alone: in place of the table one <pre>, or the <pre> of each cell."""
    last = int(tags.partner[table])
    done = int(tags.start[table])
    names = tags.name
    code = [cell for cell in cells if cell.is_code]
    own = any(np.any(names[cell.opens : cell.closes] == _PRE) for cell in code)
    between = b"<div>" if own else b"<pre>"
    for number, cell in enumerate(code):
        start, end = _bytes_of(tags, cell.opens, cell.closes)
        if number and not own:
            between = b"\n" if cell.row != code[number - 1].row else b" "
        elif number:
            between = b""
        yield Edit(done, start, between)
        done = end - (page[end - 1 : end] == b"\n" and not own)
    yield Edit(done, int(tags.end[last]), b"</div>" if own else b"</pre>")

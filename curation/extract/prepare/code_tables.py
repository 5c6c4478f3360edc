"""Code that a page shows as a table, one line a row or with a column of line numbers: it becomes preformatted text.

Pages of repositories and highlighters write code so. Parsers read it as data: they fold its indents and put the numbers
between its lines. A table is code if a cell has "code" or "line_content" among the words of its class ("blob-code",
"rouge-code", "hljs-ln-code"; "lntd", "lines") and every other cell is empty or holds the numbers of lines. Numbers that
do not rise by one are data, such as the rates beside the codes of currencies. If the code is preformatted already, the
table around it goes and the <pre> stays.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
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
_LINE_NUMBERS = re.compile(rb"(?:\s|[0-9]+[.:]?(?![^\s])|\.\.\.|[:+-]|&nbsp;|&#160;|\xc2\xa0)*")
_NUMBER = re.compile(rb"(?<![0-9])[0-9]+(?=[.:]?(?:\s|\Z))")
_NUMBERS_CLASS = re.compile(r"(?:^|[\s_-])(?:num|nums|lines?|linenos?|linenum|gutter|ln)(?:$|[\s_-])", re.IGNORECASE)
_EITHER = re.compile(r"(?:^|\s)(?:lntd|lines)(?:$|\s)")  # of cells with numbers too
_HINT = re.compile(rb"<t[dh]\b[^<>]{0,200}(?:code|line_content|lntd|lines)", re.IGNORECASE)


class CodeCell(NamedTuple):
    """A cell's row and column, the rows of its tags, and whether it holds code, or else which numbers."""

    row: int
    column: int
    opens: int
    closes: int
    is_code: bool
    numbers: tuple[int, ...]
    says_so: bool  # its class says that these are the numbers of lines


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
        if any(cell.is_code for cell in cells) and _are_lines(cells):
            yield from _as_code(page, tags, table, cells)


def _bytes_of(tags: PageTags, first: int, last: int) -> tuple[int, int]:
    return int(tags.end[first]), int(tags.start[last])


def _cells(page: bytes, tags: PageTags, table: int, last: int) -> list[CodeCell]:
    """The cells of a table, none if one of them is neither code nor numbers."""
    cells: list[CodeCell] = []
    row = 0
    column = 0
    for at in range(table + 1, last):
        name = tags.name[at]
        partner = int(tags.partner[at])
        if tags.closes[at]:
            continue
        if name == _TR:
            row += 1
            column = 0
        if not _CELLS[name]:
            continue
        if not at < partner < last:
            return []
        classes = attributes(page[tags.start[at] : tags.end[at]]).get("class", "")
        is_code = _CODE.search(classes) is not None
        text = b"" if is_code else _TAG.sub(b" ", page[slice(*_bytes_of(tags, at, partner))])
        if not _LINE_NUMBERS.fullmatch(text):
            is_code = _EITHER.search(classes) is not None
            if not is_code:
                return []
        numbers = () if is_code else tuple(int(found[-9:]) for found in _NUMBER.findall(text))
        cells.append(CodeCell(row, column, at, partner, is_code, numbers, _NUMBERS_CLASS.search(classes) is not None))
        column += 1
    return cells


def _are_lines(cells: list[CodeCell]) -> bool:
    """Whether the numbers in each column are those of lines: they rise, by one more often than not."""
    columns: dict[int, list[int]] = {}
    for cell in cells:
        if not cell.is_code and not cell.says_so:
            columns.setdefault(cell.column, []).extend(cell.numbers)
    for numbers in columns.values():
        steps = [after - before for before, after in pairwise(numbers)]
        if min(steps, default=1) < 1 or 2 * steps.count(1) < len(steps):
            return False
        if len(numbers) == 1 and numbers[0] > cells[-1].row:
            return False
    return True


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

"""Rows of data tables in one line: blocks and <br> in their cells become spaces, as Resiliparse breaks a row there.

A row with a cell of `CELL` characters and blocks, or with a nested table, a list, a heading, a form, preformatted text,
a block that has a class or an id, or a link in a block is layout and stays: its blocks may be what the library's rules
on main content look at.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from curation.extract.blocks.tags import NUMBER
from curation.extract.normal_form import CELL
from curation.extract.prepare.attribute_names import attribute_names, has_attribute
from curation.extract.prepare.edits import Edit, EditRows
from curation.extract.prepare.page_tags import Bools, Int64s, PageTags, elements
from curation.text.html.syntax import CLASS, LESS, SPACE, Html, skip_comment
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel

_TABLE = NUMBER["table"]
_TR = NUMBER["tr"]
_P = NUMBER["p"]
_DIV = NUMBER["div"]
_A = NUMBER["a"]
_CELLS = elements("td th")
_BREAKING = elements("p div br center")
_LAYOUT = elements("ul ol form h1 h2 h3 h4 pre listing")
_NAMED = attribute_names("class id")

# of a table in `Tables.state`
ROW, IN_CELL, CHARACTERS, HAS_BLOCK, IN_P, IN_DIV = range(6)


class Tables(NamedTuple):
    """State of the scan: the open tables, and facts about each row."""

    state: Out[Grid[Int64s]]  # int64[tables, 6]: of each open table, its open row (-1: none) and cell
    layout: Out[Bools]  # bool[rows]


def data_rows(page: bytes, tags: PageTags) -> Iterator[Edit]:
    """Blocks and breaks in the cells of data tables become spaces."""
    found = np.empty((tags.start.size, 2), np.int64)
    for start, end in found[: _fill(tags, found)].tolist():
        yield Edit(start, end, b" ")


@kernel
def _fill(tags: PageTags, found: Out[EditRows]) -> Int:
    """Fill in the tags that become spaces; returns how many."""
    tables_count: Int = 1
    rows_count: Int = 1
    for row in range(tags.start.size):
        tables_count += tags.name[row] == _TABLE
        rows_count += tags.name[row] == _TR or _CELLS[tags.name[row]]
    tables = Tables(np.zeros((tables_count, 6), np.int64), np.zeros(rows_count, np.bool_))
    of_row = np.empty(tags.start.size, np.int64)
    open_tables: Int = 0
    next_row: Int = 0
    count: Int = 0
    for row in range(tags.start.size):
        name = tags.name[row]
        if open_tables and tables.state[open_tables - 1, IN_CELL]:
            start = tags.end[row - 1]
            tables.state[open_tables - 1, CHARACTERS] += _characters(tags.html, start, tags.start[row])
        if name == _TABLE:
            open_tables = _at_table(tags, row, tables, open_tables)
        elif not open_tables:
            continue
        elif name == _TR or _CELLS[name]:
            next_row = _at_row(tags, row, tables, open_tables - 1, next_row)
        elif tables.state[open_tables - 1, IN_CELL]:
            state = tables.state[open_tables - 1]
            _at_content(tags, row, state, tables.layout)
            if _BREAKING[name]:
                of_row[count] = state[ROW]
                found[count, 0] = tags.start[row]
                found[count, 1] = tags.end[row]
                count += 1
    if open_tables and tags.start.size:
        last = tags.end[tags.start.size - 1]
        tables.state[open_tables - 1, CHARACTERS] += _characters(tags.html, last, np.int64(len(tags.html)))
    while open_tables:
        open_tables -= 1
        _end_cell(tables.state[open_tables], tables.layout)
    return _only_data(of_row[:count], tables.layout, found)


@kernel
def _only_data(of_row: Int64s, layout: Bools, found: Out[EditRows]) -> Int:
    kept: Int = 0
    for edit in range(of_row.size):
        if not layout[of_row[edit]]:
            found[kept, 0] = found[edit, 0]
            found[kept, 1] = found[edit, 1]
            kept += 1
    return kept


@kernel
def _at_table(tags: PageTags, row: Int, tables: Tables, open_tables: Int) -> Int:
    """Begin or end a table; returns how many are open."""
    if tags.closes[row]:
        if open_tables:
            _end_cell(tables.state[open_tables - 1], tables.layout)
        return max(open_tables - 1, 0)
    if open_tables and tables.state[open_tables - 1, ROW] >= 0:
        tables.layout[tables.state[open_tables - 1, ROW]] = True
    state = tables.state[open_tables]
    state[ROW] = -1
    state[IN_CELL] = 0
    return open_tables + 1


@kernel
def _at_row(tags: PageTags, row: Int, tables: Tables, table: Int, next_row: Int) -> Int:
    """Begin or end a row or a cell of a table; returns the number of the next row."""
    state = tables.state[table]
    _end_cell(state, tables.layout)
    is_row = tags.name[row] == _TR
    if is_row:
        state[ROW] = -1
    if tags.closes[row]:
        return next_row
    if state[ROW] < 0:
        state[ROW] = next_row
        next_row += 1
    if not is_row:
        state[IN_CELL] = 1
        state[CHARACTERS] = state[HAS_BLOCK] = state[IN_P] = state[IN_DIV] = 0
    return next_row


@kernel
def _end_cell(state: Out[Int64s], layout: Out[Bools]) -> None:
    if state[IN_CELL] and state[HAS_BLOCK] and state[CHARACTERS] >= CELL:
        layout[state[ROW]] = True
    state[IN_CELL] = 0


@kernel
def _at_content(tags: PageTags, row: Int, state: Out[Int64s], layout: Out[Bools]) -> None:
    """Record what a tag in a cell shows about its row."""
    name = tags.name[row]
    if tags.closes[row]:
        state[IN_P] *= name != _P
        state[IN_DIV] = max(state[IN_DIV] - (name == _DIV), 0)
        return
    if _LAYOUT[name] or (name == _A and (state[IN_P] or state[IN_DIV])):
        layout[state[ROW]] = True
    if not _BREAKING[name]:
        return
    state[HAS_BLOCK] = 1
    if name in (_P, _DIV):
        state[IN_P] = name == _P
        state[IN_DIV] += name == _DIV
        if has_attribute(tags.html, tags.start[row], tags.end[row], _NAMED):
            layout[state[ROW]] = True


@kernel
def _characters(html: Html, start: Int, stop: Int) -> Int:
    """Characters of text between two tags, each run of whitespace as one; references count by their bytes."""
    characters: Int = 0
    in_space = True
    place = start
    while place < stop:
        byte = html[place]
        if byte == LESS:
            place = skip_comment(html, place)
            continue
        space = CLASS[byte] & SPACE != 0
        characters += (byte & 0xC0) != 0x80 and not (space and in_space)
        in_space = space
        place += 1
    return characters

"""What the elements of a page stand in that decides how their text is laid out: lists, and tables of data.

A table's row is one line only if it holds data: a row with a cell that is long and holds several blocks, or with a
list, a heading or another table in a cell is layout, as `curation.extract.normal_form` has it. M elements.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from curation.extract.blocks.page import CHARACTERS, NODE, Int32s, Nodes
from curation.extract.blocks.tags import HEADING, NUMBER, RULES
from curation.extract.normal_form import CELL
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel

Bools: TypeAlias = npt.NDArray[np.bool_]

LISTS = np.zeros(len(RULES), np.bool_)
LISTS[[NUMBER[name] for name in ("ul", "ol", "menu", "dir")]] = True
ORDERED = NUMBER["ol"]
_ITEM = NUMBER["li"]
_CELLS = np.zeros(len(RULES), np.bool_)
_CELLS[[NUMBER[name] for name in ("td", "th")]] = True
_ROW = NUMBER["tr"]
_TABLE = NUMBER["table"]


class Frames(NamedTuple):
    """Of each element, the innermost of a kind that it is or stands in: int32[M], 0 for none."""

    item: Out[Int32s]
    outer_list: Out[Int32s]  # the outermost
    level: Out[Int32s]  # how many lists
    table: Out[Int32s]
    row: Out[Int32s]  # of data, in that table
    cell: Out[Int32s]


@kernel
def frames_of(nodes: Nodes, blocks: Grid[Int32s]) -> Frames:
    size = nodes.tag.size
    frames = Frames(
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
    )
    layout = np.zeros(size, np.bool_)  # rows
    for node in range(1, size):
        _frame(nodes, node, frames, layout)
    _find_layout(blocks, frames, layout)
    for node in range(1, size):
        if layout[frames.row[node]]:
            frames.row[node] = 0
    return frames


@kernel
def _frame(nodes: Nodes, node: Int, frames: Frames, layout: Out[Bools]) -> None:
    parent = nodes.parent[node]
    tag = nodes.tag[node]
    frames.item[node] = node if tag == _ITEM else frames.item[parent]
    frames.level[node] = frames.level[parent] + LISTS[tag]
    frames.outer_list[node] = node if LISTS[tag] and not frames.outer_list[parent] else frames.outer_list[parent]
    in_cell = frames.cell[parent] > 0
    if in_cell and (tag == _TABLE or LISTS[tag] or RULES[tag] & HEADING):
        layout[frames.row[parent]] = True
    if tag == _TABLE:
        frames.table[node] = node
        return
    frames.table[node] = frames.table[parent]
    frames.row[node] = node if tag == _ROW else frames.row[parent]
    frames.cell[node] = node if _CELLS[tag] and frames.row[node] else frames.cell[parent]


@kernel
def _find_layout(blocks: Grid[Int32s], frames: Frames, layout: Out[Bools]) -> None:
    """Mark rows with a cell of CELL characters in several blocks, and rows with text outside of cells."""
    count = np.zeros(layout.size, np.int32)
    characters = np.zeros(layout.size, np.int32)
    for block in range(blocks.shape[0]):
        node = blocks[block, NODE]
        row = frames.row[node]
        cell = frames.cell[node]
        if row and cell < row:
            layout[row] = True
        if row:
            count[cell] += 1
            characters[cell] += blocks[block, CHARACTERS]
            if count[cell] > 1 and characters[cell] >= CELL:
                layout[row] = True

"""Writes chosen blocks as one text in the normal form that `curation.extract.normal_form` describes."""

import numpy as np

from curation.extract.blocks.frames import ORDERED, Bools, Frames, frames_of
from curation.extract.blocks.page import GAP, NODE, PREFORMATTED, START, STOP, Int32s, Nodes, Page
from curation.text.kernels.buffers import Bytes
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel

_NEWLINE, _SPACE, _TAB, _DASH, _DOT, _ZERO = b"\n \t-.0"
_AROUND = 32  # bytes besides indents that a block may take: breaks, and a marker with a number
_MOST_TABS = 16  # between two cells: of empty ones in a row, more than these say nothing
_MOST_INDENTS = 16  # levels of a list
_ROOM = _AROUND + _MOST_TABS + 2 * _MOST_INDENTS


def render(page: Page, keep: Bools) -> bytes:
    """The text, in UTF-8, of the blocks in `keep`, bool[B]."""
    chosen = np.flatnonzero(keep)
    blocks = page.blocks
    room = int((blocks[chosen, STOP] - blocks[chosen, START]).sum()) + _ROOM * len(chosen)
    out = np.empty(room, np.uint8)
    return out[: _write(page.nodes, blocks, page.text, keep, out)].tobytes()


@kernel
def _write(nodes: Nodes, blocks: Grid[Int32s], text: Bytes, keep: Bools, out: Out[Bytes]) -> Int:
    """Returns the number of bytes written."""
    frames = frames_of(nodes, blocks)
    _split_rows(blocks, text, frames)
    marked = np.zeros(nodes.tag.size, np.bool_)  # items whose marker is written
    last: Int = -1  # node of the block before
    gap = False
    preformatted = False
    to: Int = 0
    for block in range(blocks.shape[0]):
        gap |= blocks[block, GAP] > 0
        if not keep[block]:
            continue
        node = np.int64(blocks[block, NODE])
        own = blocks[block, PREFORMATTED] > 0
        row = np.int64(frames.row[node])
        if last >= 0:
            to = _separate(nodes, frames, last, node, gap or (own and not preformatted), out, to)
        item = frames.item[node]
        if item and not marked[item] and not own:
            marked[item] = True
            if not row:
                to = _mark(nodes, frames, node, out, to)
        to = _copy(text, blocks[block, START], blocks[block, STOP], bool(row > 0), bool(own), out, to)
        last = node
        gap = False
        preformatted = own
    return to


@kernel
def _split_rows(blocks: Grid[Int32s], text: Bytes, frames: Frames) -> None:
    """Rows with code of several lines in a cell are layout."""
    split = np.zeros(frames.row.size, np.bool_)
    found = False
    for block in range(blocks.shape[0]):
        row = frames.row[blocks[block, NODE]]
        if row and blocks[block, PREFORMATTED] and not split[row]:
            split[row] = _has_lines(text, blocks[block, START], blocks[block, STOP])
            found |= split[row]
    for node in range(frames.row.size if found else 0):
        if split[frames.row[node]]:
            frames.row[node] = 0


@kernel
def _has_lines(text: Bytes, start: Int, stop: Int) -> bool:
    for place in range(start, stop):  # noqa: SIM110  a generator does not compile
        if text[place] == _NEWLINE:
            return True
    return False


@kernel
def _separate(nodes: Nodes, frames: Frames, last: Int, node: Int, gap: bool, out: Out[Bytes], to: Int) -> Int:
    """Write what stands between two blocks; `gap`: the page has a blank line there."""
    row = frames.row[node]
    if row and row == frames.row[last]:
        apart = nodes.place[frames.cell[node]] - nodes.place[frames.cell[last]]
        if apart <= 0:
            out[to] = _SPACE
            return to + 1
        for _ in range(min(apart, _MOST_TABS)):
            out[to] = _TAB
            to += 1
        return to
    lists = frames.outer_list[node]
    within = lists > 0 and lists == frames.outer_list[last]
    rows = row > 0 and frames.row[last] > 0 and frames.table[node] == frames.table[last]
    out[to] = _NEWLINE
    to += 1
    if (gap or (lists > 0) != (frames.outer_list[last] > 0)) and not within and not rows:
        out[to] = _NEWLINE
        to += 1
    return to


@kernel
def _mark(nodes: Nodes, frames: Frames, node: Int, out: Out[Bytes], to: Int) -> Int:
    """Write the indent and the marker of a list's item."""
    for _ in range(2 * min(max(frames.level[node] - 1, 0), _MOST_INDENTS)):
        out[to] = _SPACE
        to += 1
    item = frames.item[node]
    if nodes.tag[nodes.parent[item]] != ORDERED:
        out[to] = _DASH
        out[to + 1] = _SPACE
        return to + 2
    number = np.int64(nodes.place[item]) + 1
    scale: Int = 1
    while scale * 10 <= number:
        scale *= 10
    while scale:
        out[to] = _ZERO + number // scale % 10
        to += 1
        scale //= 10
    out[to] = _DOT
    out[to + 1] = _SPACE
    return to + 2


@kernel
def _copy(text: Bytes, start: Int, stop: Int, one_line: bool, preformatted: bool, out: Out[Bytes], to: Int) -> Int:
    """Write a block's text: in a row its breaks are blanks; preformatted lines end without blanks."""
    begin = to
    for place in range(start, stop):
        byte = text[place]
        if byte == _NEWLINE and one_line:
            byte = np.uint8(_SPACE)
        if byte == _NEWLINE and preformatted:
            to = _without_blanks(out, begin, to)
        if byte == _TAB and one_line:
            byte = np.uint8(_SPACE)
        out[to] = byte
        to += 1
    while preformatted and to > begin and (out[to - 1] == _NEWLINE or out[to - 1] == _SPACE or out[to - 1] == _TAB):
        to -= 1
    return to


@kernel
def _without_blanks(out: Bytes, begin: Int, to: Int) -> Int:
    while to > begin and (out[to - 1] == _SPACE or out[to - 1] == _TAB):
        to -= 1
    return to

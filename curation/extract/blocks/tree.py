"""Elements that begin and end: a tree close to the one that a browser builds, in constant time a tag.

Source: WHATWG HTML Standard, "Tree construction". Followed are the end tags that may be left out (<p>, <li>, <td> …),
end tags that close what is still open inside, the walls that those of cells and tables are, and <a> in <a>. Formatting
that a block cuts off stays open around it instead of being cloned. Elements past the limits of `new_scan` are no nodes.
"""

import numpy as np

from curation.extract.blocks.page import (
    BLOCKS,
    IN_BLOCK,
    IN_GAP,
    INLINE,
    LINK,
    LINKS,
    NODES,
    OPEN,
    PRE,
    UNSEEN_FROM,
    Scan,
)
from curation.extract.blocks.tags import (
    APART,
    BREAKS,
    CELLS,
    ENDS_PARAGRAPH,
    HEADING,
    NUMBER,
    RULES,
    TABLES,
    UNSEEN,
)
from curation.extract.blocks.text import end_block
from curation.extract.nesting import ROOT, VOID
from curation.text.kernels.compiler.kernel import Int, kernel

_A = NUMBER["a"]
_P = NUMBER["p"]
_LI = NUMBER["li"]
_UL = NUMBER["ul"]
_OL = NUMBER["ol"]
_MENU = NUMBER["menu"]
_DT = NUMBER["dt"]
_DD = NUMBER["dd"]
_DL = NUMBER["dl"]
_TR = NUMBER["tr"]
_TD = NUMBER["td"]
_TH = NUMBER["th"]
_TBODY = NUMBER["tbody"]
_THEAD = NUMBER["thead"]
_TFOOT = NUMBER["tfoot"]
_TABLE = NUMBER["table"]
_TEMPLATE = NUMBER["template"]
_OPTION = NUMBER["option"]
_PRE = NUMBER["pre"]
_LISTING = NUMBER["listing"]
_BUTTON = NUMBER["button"]  # one that stands behind words in a line is part of their sentence


@kernel
def _pop_to(scan: Scan, place: Int) -> None:
    """Close the elements from a place on; never the page."""
    state = scan.state
    stack = scan.stack
    place = max(place, 1)
    for above in range(state[OPEN] - 1, place - 1, -1):
        stack.top[scan.nodes.tag[stack.node[above]]] = stack.same[above]
    state[OPEN] = min(state[OPEN], place)
    if state[LINK] >= place:
        state[LINK] = 0
    if state[UNSEEN_FROM] >= place:
        state[UNSEEN_FROM] = 0
    if state[PRE] >= place:
        state[PRE] = 0


@kernel
def _end_open(scan: Scan, tag: Int, wall: Int) -> None:
    """Close the topmost element of a name and all in it, if it is above a wall."""
    place = scan.stack.top[tag]
    if place > wall:
        _pop_to(scan, place)


@kernel
def _imply_ends(scan: Scan, tag: Int, rules: Int) -> None:
    """Close what the start tag of an element says is over."""
    stack = scan.stack
    top = stack.top
    last = scan.state[OPEN] - 1
    cell = stack.cell[last]
    table = stack.table[last]
    if rules & ENDS_PARAGRAPH:
        _end_open(scan, _P, cell)
    if rules & HEADING and RULES[scan.nodes.tag[stack.node[scan.state[OPEN] - 1]]] & HEADING:
        _pop_to(scan, scan.state[OPEN] - 1)
    if tag == _LI:
        _end_open(scan, _LI, max(max(top[_UL], top[_OL]), max(top[_MENU], cell)))
    elif tag in (_DT, _DD):
        wall = max(top[_DL], cell)
        _end_open(scan, _DT, wall)
        _end_open(scan, _DD, wall)
    elif tag in (_TD, _TH):
        wall = max(top[_TR], table)
        _end_open(scan, _TD, wall)
        _end_open(scan, _TH, wall)
    elif tag == _TR:
        _end_open(scan, _TR, table)
    elif tag in (_TBODY, _THEAD, _TFOOT):
        _end_open(scan, _TBODY, table)
        _end_open(scan, _THEAD, table)
        _end_open(scan, _TFOOT, table)
    elif tag == _OPTION:
        _end_open(scan, _OPTION, cell)
    elif tag == _A:
        end_element(scan, _A)


@kernel
def _push(scan: Scan, node: Int, tag: Int, rules: Int) -> None:
    state = scan.state
    stack = scan.stack
    place = state[OPEN]
    stack.node[place] = node
    stack.same[place] = stack.top[tag]
    stack.top[tag] = place
    stack.block[place] = place if rules & BREAKS else stack.block[place - 1]
    stack.cell[place] = place if rules & CELLS else stack.cell[place - 1]
    stack.table[place] = place if tag in (_TABLE, _TEMPLATE) else stack.table[place - 1]
    if tag == _A:
        state[LINK] = place
    if rules & UNSEEN and not state[UNSEEN_FROM] and not (tag == _BUTTON and state[IN_BLOCK]):
        state[UNSEEN_FROM] = place
    if tag in (_PRE, _LISTING) and not state[PRE]:
        state[PRE] = place
    state[OPEN] += 1


@kernel
def break_text(scan: Scan, rules: Int) -> None:
    """At the tag of an element: end the block of text if the element breaks lines."""
    if rules & BREAKS:
        end_block(scan)
        scan.state[IN_GAP] |= rules & APART != 0


@kernel
def start_element(scan: Scan, tag: Int, signature: np.uint64, hidden: Int) -> None:
    """The start tag of an element: the number of its name, the hash of name and classes, and whether it says that it is
    not shown."""
    state = scan.state
    rules = RULES[tag]
    if rules & ROOT:
        end_block(scan)
        return
    break_text(scan, rules)
    _imply_ends(scan, tag, rules)
    nodes = scan.nodes
    node = state[NODES]
    if node == nodes.tag.size or rules & VOID:
        return
    parent = scan.stack.node[state[OPEN] - 1]
    nodes.tag[node] = tag
    nodes.parent[node] = parent
    nodes.depth[node] = nodes.depth[parent] + 1
    nodes.signature[node] = signature
    nodes.hidden[node] = hidden | nodes.hidden[parent]
    if tag in (_LI, _TD, _TH):
        nodes.place[node] = nodes.items[parent]
        nodes.items[parent] += 1
    state[NODES] += 1
    if state[IN_BLOCK]:
        block = scan.blocks[state[BLOCKS]]
        block[INLINE] += 1
        block[LINKS] += tag == _A
    if state[OPEN] < scan.stack.node.size:
        _push(scan, node, tag, rules)


@kernel
def end_element(scan: Scan, tag: Int) -> None:
    """The end tag of an element: it closes the topmost of that name, unless a wall lies between."""
    state = scan.state
    stack = scan.stack
    rules = RULES[tag]
    break_text(scan, rules)
    if rules & (ROOT | VOID):
        return
    place = stack.top[tag]
    last = state[OPEN] - 1
    wall = stack.table[last] if rules & TABLES else stack.cell[last]
    if place < 1 or place < wall:
        return
    if not rules & BREAKS and stack.block[last] > place:  # formatting around blocks
        if tag == _A:
            state[LINK] = 0
        return
    _pop_to(scan, place)

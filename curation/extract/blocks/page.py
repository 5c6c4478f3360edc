"""What a scan leaves of a page: its elements, its blocks of text, and their text.

A block is text between two places where a browser breaks lines. M elements, B blocks, T bytes, S open elements.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from curation.extract.blocks.tags import NAMES
from curation.extract.markup import MarkupCounts
from curation.extract.nesting import Nesting, begin
from curation.text.html.syntax import Html
from curation.text.kernels.buffers import Bytes
from curation.text.kernels.compiler.kernel import Grid, Out

Int32s: TypeAlias = npt.NDArray[np.int32]
Uint64s: TypeAlias = npt.NDArray[np.uint64]
Uint8s: TypeAlias = npt.NDArray[np.uint8]

# Columns of a block. Characters are code points after white space was folded.
NODE = 0  # the innermost element that the block begins in
START = 1  # of its text
STOP = 2
CHARACTERS = 3
LINK_CHARACTERS = 4  # of them in links
WORDS = 5
COMMAS = 6
STOPS = 7  # characters that end sentences
DIGITS = 8
CAPITALS = 9
WIDE = 10  # Chinese and Japanese characters, each of them a word
SEPARATORS = 11  # such as | and >
LINE_BREAKS = 12  # <br> within and at the end
LINKS = 13
INLINE = 14  # elements that begin within
LAST = 15  # what the last character is, one of the next
GAP = 16  # 1: a blank line before it
PREFORMATTED = 17
COLUMNS = 18

OTHER, ENDS_SENTENCE, CLOSES, COLON, COMMA, LETTER, DIGIT = range(7)

# Places of `state`.
NODES = 0
OPEN = 1  # elements
BLOCKS = 2
TEXT = 3  # bytes written
UNSEEN_FROM = 4  # the number of open elements at which unseen ones begin; 0: none is open
LINK = 5  # the place of the open link; 0: none
IN_BLOCK = 6
BLANK = 7  # white space was read after the last character
BROKEN = 8  # as was <br>, so often
IN_WORD = 9
IN_GAP = 10
PRE = 11  # the number of open elements at which preformatted text begins; 0: none is
HINTS = 12  # of attributes, all together
STATE = 13

SPARE = 4  # elements open beside those that `nesting` counts up to its limit, many times over
_WIDEST = 3  # bytes of U+FFFD, which stands for a byte that is no UTF-8; text takes no more than the markup otherwise


class Nodes(NamedTuple):
    """The elements, in the order in which they begin; number 0 is the page."""

    tag: Out[Uint8s]  # uint8[M]: number of the name
    parent: Out[Int32s]  # int32[M]; -1 for the page
    depth: Out[Int32s]
    signature: Out[Uint64s]  # uint64[M]: hash of the name and of the classes
    hidden: Out[Uint8s]  # uint8[M]: 1 if it or one around it says that it is not shown
    place: Out[Int32s]  # int32[M]: of an item or a cell among those of its list or row, from 0
    items: Out[Int32s]  # int32[M]: how many of them it has


class Stack(NamedTuple):
    """The open elements, the page first."""

    node: Out[Int32s]  # int32[S]
    same: Out[Int32s]  # int32[S]: the place of the open element of the same name below it; -1: none
    block: Out[Int32s]  # int32[S]: the topmost place up to this one of an element that breaks lines
    cell: Out[Int32s]  # … of CELLS
    table: Out[Int32s]  # … of a table or template
    top: Out[Int32s]  # the topmost place by number of name; -1: none is open


class Scan(NamedTuple):
    """A page in the making."""

    nodes: Nodes
    stack: Stack
    nesting: Nesting
    blocks: Out[Grid[Int32s]]  # int32[B, COLUMNS]
    text: Out[Bytes]  # uint8[T]: the blocks' texts one after the other
    state: Out[npt.NDArray[np.int64]]  # int64[STATE]


def new_scan(html: Html, *, max_nodes: int, max_depth: int) -> Scan:
    """Room for what the page can hold: an element or a block needs a tag each, and pages past the limits end there."""
    tags = int(np.count_nonzero(html == ord("<")))
    size = min(tags, max_nodes) + 2
    open_size = SPARE * (max_depth + 4)
    nodes = Nodes(
        tag=np.zeros(size, np.uint8),
        parent=np.full(size, -1, np.int32),
        depth=np.zeros(size, np.int32),
        signature=np.zeros(size, np.uint64),
        hidden=np.zeros(size, np.uint8),
        place=np.zeros(size, np.int32),
        items=np.zeros(size, np.int32),
    )
    rooms = [np.zeros(open_size, np.int32) for _ in Stack._fields[:-1]]
    stack = Stack._make([*rooms, np.full(len(NAMES), -1, np.int32)])
    state = np.zeros(STATE, np.int64)
    state[NODES] = 1
    state[OPEN] = 1
    blocks = np.empty((tags + 2, COLUMNS), np.int32)
    text = np.empty(_WIDEST * len(html) + 64, np.uint8)  # memory that is not written costs nothing
    return Scan(nodes, stack, begin(max_depth), blocks, text, state)


class Page(NamedTuple):
    """What a scan leaves."""

    nodes: Nodes
    blocks: Grid[Int32s]  # int32[B, COLUMNS]
    text: Bytes
    counts: MarkupCounts
    hints: int  # bits of `curation.extract.blocks.attributes`

"""One pass over a page's bytes: its elements, its blocks of text with what is measured of them, and the counts by which
pages are refused, the same as those of `curation.extract.markup`.

Time is linear in bytes: each tag takes constant time but for the walks of `nesting`, which its limits bound.
"""

import numpy as np

from curation.extract.blocks.attributes import read_start
from curation.extract.blocks.page import (
    BLOCKS,
    BROKEN,
    HINTS,
    IN_BLOCK,
    IN_GAP,
    IN_WORD,
    NODES,
    TEXT,
    UNSEEN_FROM,
    Nodes,
    Page,
    Scan,
    new_scan,
)
from curation.extract.blocks.tags import NUMBER, number_of
from curation.extract.blocks.text import end_block, read_text
from curation.extract.blocks.tree import end_element, start_element
from curation.extract.markup import after_content, count_start, counts_of, past_limits
from curation.extract.nesting import NODES as COUNTED
from curation.extract.nesting import VOID, end_tag, flags_of
from curation.text.html.syntax import SLASH, Html, begins_tag, read_attributes, read_name, skip_comment, skip_text
from curation.text.kernels.compiler.kernel import Int, kernel
from curation.text.kernels.unicode import Classes, classes

_BR = NUMBER["br"]


def scan(html: bytes, *, max_nodes: int, max_depth: int, max_attributes: int) -> Page:
    """A page in UTF-8. If it passes a limit, what stands before the tag that passes it."""
    data = np.frombuffer(html, np.uint8)
    room = new_scan(data, max_nodes=max_nodes, max_depth=max_depth)
    _scan(data, room, classes(), max_nodes, max_depth, max_attributes)
    nodes, blocks, text = (int(room.state[of]) for of in (NODES, BLOCKS, TEXT))
    return Page(
        Nodes._make(values[:nodes] for values in room.nodes),
        room.blocks[:blocks],
        room.text[:text],
        counts_of(room.nesting),
        int(room.state[HINTS]),
    )


@kernel
def _break_line(scan: Scan) -> None:
    """At <br>: two of them end a paragraph."""
    state = scan.state
    state[IN_WORD] = 0
    if state[IN_BLOCK] and not state[UNSEEN_FROM]:
        state[BROKEN] += 1
        if state[BROKEN] > 1:
            end_block(scan)
            state[IN_GAP] = 1


@kernel
def _read_tag(html: Html, start: Int, scan: Scan) -> Int:
    """The start or end tag at `start`; returns the place after it and after a raw element's content."""
    if html[start + 1] == SLASH:
        name, place = read_name(html, start + 2)
        _, _, place = read_attributes(html, place)
        if place <= len(html):  # an unfinished tag is none
            end_tag(scan.nesting, name, flags_of(name))
            end_element(scan, number_of(name))
        return min(place, len(html))
    name, place = read_name(html, start + 1)
    attributes, closed, place, signature, hidden, hints = read_start(html, place, name)
    if place > len(html):
        return len(html)
    scan.state[HINTS] |= hints
    flags = count_start(html, start, place, name, attributes, closed, scan.nesting)
    tag = number_of(name)
    if tag == _BR:
        _break_line(scan)
        return place
    start_element(scan, tag, signature, hidden)
    if closed and flags & VOID:
        end_element(scan, tag)
    return after_content(html, place, name, flags)


@kernel
def _scan(html: Html, scan: Scan, table: Classes, max_nodes: int, max_depth: int, max_attributes: int) -> None:
    counted = scan.nesting.state
    place: Int = 0
    while place < len(html) and not past_limits(scan.nesting, max_nodes, max_depth, max_attributes):
        text_end = skip_text(html, place)
        if text_end > place:
            counted[COUNTED] += 1
            if not scan.state[UNSEEN_FROM]:
                read_text(html, place, text_end, scan, table)
            place = text_end
        elif begins_tag(html, place):
            place = _read_tag(html, place, scan)
        else:
            counted[COUNTED] += 1
            place = skip_comment(html, place)
    end_block(scan)

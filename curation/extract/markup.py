"""Counts a page's nodes, its nesting depth, the attributes of its fullest tag, and what forms and links it has, before
any parser sees it.

Parsers take quadratic time or unbounded memory on hostile markup (200,000 nested <div>, a tag with 100,000 attributes,
thousands of unclosed <font>), so the bytes are counted first, in linear time and without a tree.
Source: WHATWG HTML Standard, "tokenization"; `nesting.py` says how much of tree construction is followed.

Nodes are elements (formatting cut off by blocks counts as often as it may be reopened), attributes, comments and runs
of text. Depth counts html and body. Fields are <input> (hidden ones and buttons too), <select> and <textarea>.
"""

from typing import NamedTuple

import numpy as np

from curation.extract.nesting import (
    ATTRIBUTES,
    DEEPEST,
    FIELDS,
    FORMATTING,
    LABELS,
    LINKS,
    NODES,
    RAW,
    VOID,
    Nesting,
    begin,
    end_tag,
    flags_of,
    in_foreign,
    start_tag,
)
from curation.text.html.syntax import (
    SLASH,
    Html,
    begins_tag,
    name_hash,
    read_attributes,
    read_name,
    skip_comment,
    skip_raw,
    skip_text,
)
from curation.text.kernels.compiler.kernel import Int, kernel
from curation.text.kernels.hashing import hash_bytes

_PLAINTEXT = name_hash("plaintext")
_INPUT = name_hash("input")
_SELECT = name_hash("select")
_TEXTAREA = name_hash("textarea")
_LABEL = name_hash("label")
_LINK = name_hash("a")


class MarkupCounts(NamedTuple):
    """What a page holds; if a limit was passed, the counts up to that tag."""

    nodes: int
    depth: int
    attributes: int
    fields: int
    labels: int
    links: int


def count(html: bytes, *, max_nodes: int, max_depth: int, max_attributes: int) -> MarkupCounts:
    """Counts of a page in UTF-8 (or ASCII); stops at the first tag that passes a limit."""
    nesting = begin(max_depth)
    _scan(np.frombuffer(html, np.uint8), nesting, max_nodes, max_depth, max_attributes)
    return counts_of(nesting)


def counts_of(nesting: Nesting) -> MarkupCounts:
    return MarkupCounts(*(int(nesting.state[of]) for of in (NODES, DEEPEST, ATTRIBUTES, FIELDS, LABELS, LINKS)))


@kernel
def count_start(
    html: Html, start: Int, place: Int, name: np.uint64, attributes: Int, closed: Int, nesting: Nesting
) -> Int:
    """Count the start tag html[start:place]. Returns its flags, VOID for one that "/>" closes in SVG or MathML."""
    flags = flags_of(name)
    state = nesting.state
    state[NODES] += attributes
    state[ATTRIBUTES] = max(state[ATTRIBUTES], attributes)
    state[FIELDS] += name in (_INPUT, _SELECT, _TEXTAREA)
    state[LABELS] += name == _LABEL
    state[LINKS] += name == _LINK
    if (closed or flags & RAW) and in_foreign(nesting):
        flags = VOID if closed else 0
    start_tag(nesting, name, flags, hash_bytes(html, start, place) if flags & FORMATTING else np.uint64(0))
    return flags


@kernel
def _read_tag(html: Html, start: Int, nesting: Nesting) -> Int:
    """Count the start or end tag at `start`; returns the place after it and after a raw element's content."""
    ends = html[start + 1] == SLASH
    name, place = read_name(html, start + 1 + ends)
    attributes, closed, place = read_attributes(html, place)
    if place > len(html):
        return len(html)  # an unfinished tag does not count
    if ends:
        end_tag(nesting, name, flags_of(name))
        return place
    flags = count_start(html, start, place, name, attributes, closed, nesting)
    return after_content(html, place, name, flags)


@kernel
def after_content(html: Html, place: Int, name: np.uint64, flags: Int) -> Int:
    """Where the markup goes on after the start tag that ends at `place`: past the text of a raw element."""
    if name == _PLAINTEXT:
        return len(html)
    return skip_raw(html, place, name) if flags & RAW else place


@kernel
def past_limits(nesting: Nesting, max_nodes: int, max_depth: int, max_attributes: int) -> bool:
    state = nesting.state
    return bool(state[NODES] > max_nodes or state[DEEPEST] > max_depth or state[ATTRIBUTES] > max_attributes)


@kernel
def _scan(html: Html, nesting: Nesting, max_nodes: int, max_depth: int, max_attributes: int) -> None:
    """Count into `nesting.state`, up to the limits."""
    state = nesting.state
    place: Int = 0
    while place < len(html) and not past_limits(nesting, max_nodes, max_depth, max_attributes):
        text_end = skip_text(html, place)
        if text_end > place:
            state[NODES] += 1
            place = text_end
        elif begins_tag(html, place):
            place = _read_tag(html, place, nesting)
        else:
            state[NODES] += 1
            place = skip_comment(html, place)

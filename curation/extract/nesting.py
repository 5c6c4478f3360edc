"""How deep a page nests: open minus close tags, in one pass and without a tree.

Source: WHATWG HTML Standard, "Parsing HTML documents". The rules that keep ordinary pages shallow are followed:
elements without content, elements whose end tag may be omitted (a page that never closes its <p>, <li> or <td> does not
nest), and end tags that close what is still open inside them. Open formatting stays open after its block, because
parsers reopen it in every later block: unclosed <font> tags make a tree grow without end. Rules that only an exact tree
needs are left out: implied rows, scopes other than those of a table or template, the select modes, breaking out of SVG.

S is the depth limit plus 4. It bounds every walk, so time is linear in bytes.
"""

from inspect import unwrap
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from curation.text.html.syntax import name_hash
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.hash_table import find_slot, table_size

VOID = 1  # has no content
RAW = 2  # holds text up to its own end tag, no markup
OMITTED = 4  # its end tag may be omitted, or only one is open at a time: it does not count towards the depth
BLOCK = 8  # an inline end tag does not reach past it
SCOPE = 16  # no end tag of another element reaches past it
FORMATTING = 32  # reopened by parsers after a block cut it off
CELL = 64  # formatting opened before it is not reopened inside
FOREIGN = 128  # inside it "/>" closes and nothing is raw
ROOT = 256  # there is always exactly one
_REOPENED = 512  # set on open formatting that was cut off

MEMBERS = {
    VOID: "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr",
    RAW: "iframe noembed noframes script style textarea title xmp",
    OMITTED: "button caption colgroup dd dt form h1 h2 h3 h4 h5 h6 li optgroup option p rb rp rt rtc"
    " select tbody td tfoot th thead tr",
    BLOCK: "address applet article aside blockquote center details dir div dl fieldset figcaption figure footer"
    " frameset header hgroup listing main marquee menu nav object ol plaintext pre search section summary table"
    " template ul",
    SCOPE: "applet foreignobject marquee object table template",
    FORMATTING: "a b big code em font i nobr s small strike strong tt u",
    CELL: "caption td th",
    FOREIGN: "math svg",
    ROOT: "body head html",
}
SAME_FORMATTING = 3  # equal tags that parsers reopen at most

# Indices of `state`: the elements now open, and what was counted.
SIZE, NODES, DEEPEST, ATTRIBUTES, FIELDS, LABELS, LINKS = range(7)
ROOT_DEPTH = 2  # html and body

Int64s: TypeAlias = npt.NDArray[np.int64]
Uint64s: TypeAlias = npt.NDArray[np.uint64]


class Nesting(NamedTuple):
    """The open elements of a page, without those whose end tag may be omitted, and the counts so far."""

    state: Out[Int64s]  # int64[7]
    names: Out[Uint64s]  # uint64[S]: hash of each open element's name
    flags: Out[Int64s]  # int64[S]
    tags: Out[Uint64s]  # uint64[S]: hash of the whole tag, of formatting


def begin(max_depth: int) -> Nesting:
    """For a page whose counting stops once it is deeper than `max_depth`."""
    size = max_depth + 4
    state = np.zeros(LINKS + 1, np.int64)
    state[DEEPEST] = ROOT_DEPTH
    return Nesting(state, np.zeros(size, np.uint64), np.zeros(size, np.int64), np.zeros(size, np.uint64))


def _table() -> tuple[Uint64s, Int64s]:
    names = {name for members in MEMBERS.values() for name in members.split()}
    size = unwrap(table_size)(len(names))  # in Python: whoever imports this module would load the kernels
    keys = np.zeros(size, np.uint64)
    flags = np.zeros(size, np.int64)
    for name in names:
        key = name_hash(name)
        slot = unwrap(find_slot)(keys, key, int(key) % size)
        keys[slot] = key
        flags[slot] = sum(flag for flag, members in MEMBERS.items() if name in members.split())
    return keys, flags


_KEYS, _FLAGS = _table()
_A = name_hash("a")
_NOBR = name_hash("nobr")


@kernel
def flags_of(name: np.uint64) -> Int:
    """The flags of an element by the hash of its name; 0 if it has no rules of its own."""
    return np.int64(_FLAGS[find_slot(_KEYS, name, np.int64(name) & (_KEYS.size - 1))])


@kernel
def in_foreign(nesting: Nesting) -> bool:
    """Whether this place is inside SVG or MathML, and not in HTML inside that."""
    for place in range(nesting.state[SIZE] - 1, -1, -1):
        if nesting.flags[place] & (FOREIGN | BLOCK | SCOPE):
            return bool(nesting.flags[place] & FOREIGN)
    return False


@kernel
def _cut(nesting: Nesting, place: Int, kept: Int) -> None:
    """Close every element from `place` on, except those with a flag of `kept`, which a parser reopens as new nodes."""
    state = nesting.state
    size = np.int64(place)
    for above in range(place, state[SIZE]):
        if nesting.flags[above] & kept:
            nesting.names[size], nesting.tags[size] = nesting.names[above], nesting.tags[above]
            nesting.flags[size] = nesting.flags[above] | _REOPENED
            size += 1
    state[NODES] += size - place
    state[SIZE] = size


@kernel
def _remove(nesting: Nesting, place: Int) -> None:
    """Close one element and nothing inside it."""
    state = nesting.state
    for above in range(place + 1, state[SIZE]):
        nesting.names[above - 1], nesting.tags[above - 1] = nesting.names[above], nesting.tags[above]
        nesting.flags[above - 1] = nesting.flags[above]
    state[SIZE] -= 1


@kernel
def _end_run(nesting: Nesting, flags: Int) -> None:
    """At a <p>, </li>, <td> …: close the inline elements left open in the previous one."""
    place = nesting.state[SIZE]
    while place > 0 and not nesting.flags[place - 1] & (BLOCK | SCOPE):
        place -= 1
    _cut(nesting, place, 0 if flags & CELL else FORMATTING)


@kernel
def end_tag(nesting: Nesting, name: np.uint64, flags: Int) -> None:
    if flags & OMITTED:
        _end_run(nesting, flags)
    if flags & (OMITTED | ROOT | VOID):
        return
    crosses = flags & (BLOCK | FORMATTING)
    blocks = 0
    for place in range(nesting.state[SIZE] - 1, -1, -1):
        if nesting.names[place] == name:
            if blocks:
                _remove(nesting, place)
            else:
                _cut(nesting, place + 1, 0 if flags & SCOPE else FORMATTING)
                _remove(nesting, place)
            return
        if nesting.flags[place] & SCOPE or (nesting.flags[place] & BLOCK and not crosses):
            return
        blocks += nesting.flags[place] & BLOCK != 0 and not flags & BLOCK


@kernel
def _start_formatting(nesting: Nesting, name: np.uint64, tag: np.uint64) -> None:
    """Before <b>, <a>, <font> …: <a> ends <a>, and of equal tags that blocks cut off only a few are reopened."""
    if name in (_A, _NOBR):
        end_tag(nesting, name, FORMATTING)
    equal = 0
    earliest = -1
    for place in range(nesting.state[SIZE] - 1, -1, -1):
        if nesting.flags[place] & SCOPE:
            break
        if nesting.tags[place] == tag and nesting.flags[place] & _REOPENED:
            equal += 1
            earliest = place
    if equal >= SAME_FORMATTING:
        _remove(nesting, earliest)


@kernel
def start_tag(nesting: Nesting, name: np.uint64, flags: Int, tag: np.uint64) -> None:
    """Open an element; `tag` is a hash of the whole tag, for formatting only."""
    if flags & ROOT:
        return
    state = nesting.state
    state[NODES] += 1
    if flags & OMITTED:
        _end_run(nesting, flags)
    if flags & FORMATTING:
        _start_formatting(nesting, name, tag)
    size = state[SIZE]
    state[DEEPEST] = max(state[DEEPEST], size + 1 + ROOT_DEPTH)
    if flags & (VOID | RAW | OMITTED) or size == nesting.names.size:
        return
    nesting.names[size] = name
    nesting.flags[size] = flags
    nesting.tags[size] = tag
    state[SIZE] += 1

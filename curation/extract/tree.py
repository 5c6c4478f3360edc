"""Keeps the stack of open elements as an HTML parser would, so that nesting can be counted without building a tree.

Source: WHATWG HTML Standard, "tree construction". Followed: implied end tags, scopes, tables, lists, headings, foreign
content, and the list of active formatting elements, whose reopening makes unclosed <font> tags grow a tree without bound.
Left out: frame sets, the select modes, moving content out of tables and the copies that the adoption agency makes.

`state` is int64[8] (see the indices), `stack` uint64[S, 2] (name, flags), `active` int64[A, 3] (name, whole tag, place in
the stack or CLOSED; a marker has name 0). Every walk is bounded by the depth limit, so a page costs time linear in bytes.
"""

import numba as nb
import numpy as np

from curation.extract.elements import (
    CELL,
    CLOSES_P,
    FOREIGN,
    FORMATTING,
    HEADING,
    INTEGRATION,
    LIST,
    MARKER,
    ROOT,
    RUBY,
    SCOPE,
    SECTION,
    SPECIAL,
    VOID,
    name_hash,
)

TOP, NODES, DEEPEST, ACTIVE, FORM, LIMIT = range(6)  # indices of `state`
ROOT_DEPTH = 2  # html and body
CLOSED = -1
SAME_FORMATTING = 3  # equal tags opened again at most
EVERYWHERE = 0

A, BUTTON, DD, DT, FORM_TAG, LI, NOBR, OPTGROUP, OPTION, P, TABLE, TBODY, TEMPLATE, TR = (
    np.uint64(name_hash(name))
    for name in "a button dd dt form li nobr optgroup option p table tbody template tr".split()
)
ADDRESS, CAPTION, COLGROUP, DIV, MATH, SVG, TD, TH = (
    np.uint64(name_hash(name)) for name in "address caption colgroup div math svg td th".split()
)

_STATE = "int64[::1], uint64[:, ::1], int64[:, ::1]"
_compiled = nb.njit


@_compiled(f"void({_STATE}, int64)", cache=True, nogil=True)
def pop_to(state, stack, active, size):
    """Close every element from place `size` on; formatting that was cut off stays on the active list."""
    for place in range(state[TOP] - 1, size - 1, -1):
        if np.int64(stack[place, 1]) & MARKER:
            while state[ACTIVE] > 0:
                state[ACTIVE] -= 1
                if active[state[ACTIVE], 0] == 0:
                    break
    for one in range(state[ACTIVE] - 1, -1, -1):
        if active[one, 0] == 0:
            break
        if active[one, 2] >= size:
            active[one, 2] = CLOSED
    state[TOP] = min(state[TOP], size)


@_compiled(f"void({_STATE}, uint64, int64)", cache=True, nogil=True)
def push(state, stack, active, name, flags):
    """Open an element; the caller must stop once the depth limit is passed."""
    state[NODES] += 1
    if state[TOP] >= stack.shape[0]:
        return
    stack[state[TOP], 0] = name
    stack[state[TOP], 1] = np.uint64(flags)
    state[TOP] += 1
    state[DEEPEST] = max(state[DEEPEST], state[TOP] + ROOT_DEPTH)
    if flags & MARKER and state[ACTIVE] < active.shape[0]:
        active[state[ACTIVE], 0] = 0
        active[state[ACTIVE], 2] = state[TOP] - 1
        state[ACTIVE] += 1


@_compiled("int64(int64[::1], uint64[:, ::1], uint64, int64)", cache=True, nogil=True)
def find(state, stack, name, barrier):
    """Place of the innermost open `name` with no element of the `barrier` flags inside it, or -1."""
    for place in range(state[TOP] - 1, -1, -1):
        if stack[place, 0] == name:
            return place
        if np.int64(stack[place, 1]) & barrier:
            return -1
    return -1


@_compiled(f"void({_STATE})", cache=True, nogil=True)
def reopen(state, stack, active):
    """Open again the formatting elements that a block cut off."""
    first = state[ACTIVE]
    while first > 0 and active[first - 1, 0] != 0 and active[first - 1, 2] == CLOSED:
        first -= 1
    for one in range(first, state[ACTIVE]):
        push(state, stack, active, np.uint64(active[one, 0]), FORMATTING)
        active[one, 2] = state[TOP] - 1


@_compiled("void(int64[::1], int64[:, ::1], int64)", cache=True, nogil=True)
def forget(state, active, one):
    """Take an entry off the active list."""
    for later in range(one, state[ACTIVE] - 1):
        active[later] = active[later + 1]
    state[ACTIVE] -= 1


@_compiled("int64(int64[::1], int64[:, ::1], int64)", cache=True, nogil=True)
def find_active(state, active, name):
    """Index of the last active formatting element of that name since the last marker, or -1."""
    for one in range(state[ACTIVE] - 1, -1, -1):
        if active[one, 0] == 0:
            return -1
        if active[one, 0] == name:
            return one
    return -1


@_compiled(f"void({_STATE}, int64)", cache=True, nogil=True)
def end_formatting(state, stack, active, one):
    """Close the active formatting element `one`; where a block is open inside it, only the element itself goes."""
    place = active[one, 2]
    forget(state, active, one)
    if place == CLOSED:
        return
    for above in range(place + 1, state[TOP]):
        if np.int64(stack[above, 1]) & SPECIAL:
            for later in range(place, state[TOP] - 1):
                stack[later] = stack[later + 1]
            state[TOP] -= 1
            for other in range(state[ACTIVE]):
                if active[other, 2] > place:
                    active[other, 2] -= 1
            return
    pop_to(state, stack, active, place)


@_compiled(f"void({_STATE}, uint64, int64)", cache=True, nogil=True)
def start_formatting(state, stack, active, name, tag):
    """Open <b>, <a>, <font> …; `tag` is a hash of the whole tag, since only equal tags share their limit."""
    if name == A or name == NOBR:
        one = find_active(state, active, np.int64(name))
        if one >= 0:
            end_formatting(state, stack, active, one)
    reopen(state, stack, active)
    push(state, stack, active, name, FORMATTING)
    same, earliest = 0, -1
    for one in range(state[ACTIVE] - 1, -1, -1):
        if active[one, 0] == 0:
            break
        if active[one, 0] == np.int64(name) and active[one, 1] == tag:
            same, earliest = same + 1, one
    if same >= SAME_FORMATTING:
        forget(state, active, earliest)
    if state[ACTIVE] < active.shape[0]:
        active[state[ACTIVE], 0] = np.int64(name)
        active[state[ACTIVE], 1] = tag
        active[state[ACTIVE], 2] = state[TOP] - 1
        state[ACTIVE] += 1


@_compiled(f"void({_STATE}, uint64)", cache=True, nogil=True)
def end_item(state, stack, active, name):
    """Close the <li> (or <dd>, <dt>) before a new one, unless a block other than address, div or p stands between."""
    for place in range(state[TOP] - 1, -1, -1):
        open_name = stack[place, 0]
        if open_name == name or (name != LI and (open_name == DD or open_name == DT)):
            pop_to(state, stack, active, place)
            return
        ordinary = open_name == ADDRESS or open_name == DIV or open_name == P
        if np.int64(stack[place, 1]) & SPECIAL and not ordinary:
            return


@_compiled(f"boolean({_STATE}, uint64, int64)", cache=True, nogil=True)
def enter_table_part(state, stack, active, name, flags):
    """Close what a row, cell, section or caption ends and open what it implies; False where no table is open."""
    for place in range(state[TOP] - 1, -1, -1):
        open_name, open_flags = stack[place, 0], np.int64(stack[place, 1])
        in_row = open_name == TR
        in_section = open_flags & SECTION != 0
        if (in_row and flags & CELL) or (in_section and (flags & CELL or name == TR)) or open_name == TABLE:
            pop_to(state, stack, active, place + 1)
            if open_name == TABLE and (flags & CELL or name == TR):
                push(state, stack, active, TBODY, SPECIAL | SECTION)
            if flags & CELL and not in_row:
                push(state, stack, active, TR, SPECIAL)
            return True
        if open_name == TEMPLATE:
            return True
    return False

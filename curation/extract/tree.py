"""Keeps the stack of open elements as an HTML parser would, so that nesting can be counted without building a tree.

Source: WHATWG HTML Standard, "tree construction". Followed: implied end tags, scopes, tables, lists, headings, foreign
content, and the list of active formatting elements, whose reopening lets unclosed <font> tags grow a tree without end.
Left out: frame sets, the select modes, moving content out of tables and the copies that the adoption agency makes.

`state` is int64[6] (see the indices), `stack` uint64[S, 2] (name, flags), `active` int64[A, 3] (name, whole tag, place
in the stack or CLOSED; a marker has name 0). Every walk is bounded by the depth limit, so time is linear in bytes.
"""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from numba import types

from curation.extract.elements import (
    CELL,
    FORMATTING,
    MARKER,
    SECTION,
    SPECIAL,
    name_hash,
)
from curation.text.kernels.compiled import OUT_INT64, kernel

TOP, NODES, DEEPEST, ACTIVE, FORM, ATTRIBUTES = range(6)  # indices of `state`
ROOT_DEPTH = 2  # html and body
CLOSED = -1
SAME_FORMATTING = 3  # equal tags opened again at most

State: TypeAlias = npt.NDArray[np.int64]
Stack: TypeAlias = npt.NDArray[np.uint64]
Active: TypeAlias = npt.NDArray[np.int64]
STATE, STACK, ACTIVE_LIST = OUT_INT64, types.Array(types.uint64, 2, "C"), types.Array(types.int64, 2, "C")

_NAMES = (
    "a address button caption colgroup dd div dt form li math nobr optgroup option p plaintext"
    " svg table tbody template tr"
)
(
    A,
    ADDRESS,
    BUTTON,
    CAPTION,
    COLGROUP,
    DD,
    DIV,
    DT,
    FORM_TAG,
    LI,
    MATH,
    NOBR,
    OPTGROUP,
    OPTION,
    P,
    PLAINTEXT,
    SVG,
    TABLE,
    TBODY,
    TEMPLATE,
    TR,
) = (np.uint64(name_hash(name)) for name in _NAMES.split())


@kernel(types.void(STATE, STACK, ACTIVE_LIST, types.int64))
def pop_to(state: State, stack: Stack, active: Active, size: int) -> None:
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


@kernel(types.void(STATE, STACK, ACTIVE_LIST, types.uint64, types.int64))
def push(state: State, stack: Stack, active: Active, name: Any, flags: int) -> None:
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


@kernel(types.int64(STATE, STACK, types.uint64, types.int64))
def find(state: State, stack: Stack, name: Any, barrier: int) -> Any:
    """Place of the innermost open `name` with no element of the `barrier` flags inside it, or -1."""
    for place in range(state[TOP] - 1, -1, -1):
        if stack[place, 0] == name:
            return place
        if np.int64(stack[place, 1]) & barrier:
            return -1
    return -1


@kernel(types.void(STATE, STACK, ACTIVE_LIST))
def reopen(state: State, stack: Stack, active: Active) -> None:
    """Open again the formatting elements that a block cut off."""
    first = state[ACTIVE]
    while first > 0 and active[first - 1, 0] != 0 and active[first - 1, 2] == CLOSED:
        first -= 1
    for one in range(first, state[ACTIVE]):
        push(state, stack, active, np.uint64(active[one, 0]), FORMATTING)
        active[one, 2] = state[TOP] - 1


@kernel(types.void(STATE, ACTIVE_LIST, types.int64))
def forget(state: State, active: Active, one: int) -> None:
    """Take an entry off the active list."""
    for later in range(one, state[ACTIVE] - 1):
        active[later] = active[later + 1]
    state[ACTIVE] -= 1


@kernel(types.int64(STATE, ACTIVE_LIST, types.int64))
def find_active(state: State, active: Active, name: Any) -> Any:
    """Index of the last active formatting element of that name since the last marker, or -1."""
    for one in range(state[ACTIVE] - 1, -1, -1):
        if active[one, 0] == 0:
            return -1
        if active[one, 0] == name:
            return one
    return -1


@kernel(types.void(STATE, STACK, ACTIVE_LIST, types.int64))
def end_formatting(state: State, stack: Stack, active: Active, one: int) -> None:
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


@kernel(types.void(STATE, STACK, ACTIVE_LIST, types.uint64, types.int64))
def start_formatting(state: State, stack: Stack, active: Active, name: Any, tag: int) -> None:
    """Open <b>, <a>, <font> …; `tag` is a hash of the whole tag, since only equal tags share their limit."""
    if name in (A, NOBR):
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


@kernel(types.void(STATE, STACK, ACTIVE_LIST, types.uint64))
def end_item(state: State, stack: Stack, active: Active, name: Any) -> None:
    """Close the <li> (or <dd>, <dt>) before a new one, unless a block other than address, div or p stands between."""
    for place in range(state[TOP] - 1, -1, -1):
        open_name = stack[place, 0]
        if open_name == name or (name != LI and (open_name in (DD, DT))):
            pop_to(state, stack, active, place)
            return
        ordinary = open_name in (ADDRESS, DIV, P)
        if np.int64(stack[place, 1]) & SPECIAL and not ordinary:
            return


@kernel(types.boolean(STATE, STACK, ACTIVE_LIST, types.uint64, types.int64))
def enter_table_part(state: State, stack: Stack, active: Active, name: Any, flags: int) -> bool:
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

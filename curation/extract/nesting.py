"""What a start or end tag does to the open elements: which it closes first, and whether it opens one.

Source: WHATWG HTML Standard, "tree construction", the rules for tags "in body", "in table" and "in foreign content".
"""

from typing import Any

import numpy as np
from numba import types

from curation.extract.elements import (
    BREAKOUT,
    BUTTON_SCOPE,
    CELL,
    CLOSES_P,
    FOREIGN,
    FORMATTING,
    HEADING,
    INTEGRATION,
    LIST,
    RAW,
    ROOT,
    RUBY,
    SCOPE,
    SECTION,
    SPECIAL,
    VOID,
)
from curation.extract.tree import (
    ACTIVE_LIST,
    BUTTON,
    CAPTION,
    COLGROUP,
    DD,
    DEEPEST,
    DT,
    FORM,
    FORM_TAG,
    LI,
    MATH,
    NODES,
    OPTGROUP,
    OPTION,
    ROOT_DEPTH,
    STACK,
    STATE,
    SVG,
    TABLE,
    TEMPLATE,
    TOP,
    TR,
    Active,
    P,
    Stack,
    State,
    end_formatting,
    end_item,
    enter_table_part,
    find,
    find_active,
    pop_to,
    push,
    reopen,
    start_formatting,
)
from curation.text.kernels.compiled import kernel

_TAG = (STATE, STACK, ACTIVE_LIST, types.uint64, types.int64)


@kernel(types.void(STATE))
def add_leaf(state: State) -> None:
    """Count an element that holds no other."""
    state[NODES] += 1
    state[DEEPEST] = max(state[DEEPEST], state[TOP] + ROOT_DEPTH + 1)


@kernel(types.int64(STATE, STACK))
def top_flags(state: State, stack: Stack) -> Any:
    return np.int64(stack[state[TOP] - 1, 1]) if state[TOP] > 0 else np.int64(0)


@kernel(types.void(*_TAG, types.boolean))
def start_foreign(state: State, stack: Stack, active: Active, name: Any, flags: int, closed: bool) -> None:
    """Open an element of SVG or MathML, where `/>` closes."""
    if closed:
        add_leaf(state)
        return
    barrier = INTEGRATION | SCOPE | SPECIAL if flags & INTEGRATION else 0
    push(state, stack, active, name, FOREIGN | barrier)


@kernel(types.void(STATE, STACK, ACTIVE_LIST, types.uint64))
def end_options(state: State, stack: Stack, active: Active, name: Any) -> None:
    """Close an open <option>, and an open <optgroup> too before a new one."""
    if state[TOP] > 0 and stack[state[TOP] - 1, 0] == OPTION:
        pop_to(state, stack, active, state[TOP] - 1)
    if name == OPTGROUP and state[TOP] > 0 and stack[state[TOP] - 1, 0] == OPTGROUP:
        pop_to(state, stack, active, state[TOP] - 1)


@kernel(types.void(STATE, STACK, ACTIVE_LIST))
def end_table(state: State, stack: Stack, active: Active) -> None:
    """Close the open table when a new one begins between its rows and not in a cell."""
    if state[TOP] > 0:
        name = stack[state[TOP] - 1, 0]
        if name in (TABLE, TR) or top_flags(state, stack) & SECTION:
            place = find(state, stack, TABLE, 0)
            if place >= 0:
                pop_to(state, stack, active, place)


@kernel(types.void(*_TAG))
def end_implied(state: State, stack: Stack, active: Active, name: Any, flags: int) -> None:
    """Close what may not stay open around a new `name`."""
    if name in (LI, DD, DT):
        end_item(state, stack, active, name)
    if flags & CLOSES_P:
        place = find(state, stack, P, SCOPE | BUTTON_SCOPE)
        if place >= 0:
            pop_to(state, stack, active, place)
    if flags & HEADING and top_flags(state, stack) & HEADING:
        pop_to(state, stack, active, state[TOP] - 1)
    if name in (OPTION, OPTGROUP):
        end_options(state, stack, active, name)
    if flags & RUBY:
        while top_flags(state, stack) & RUBY:
            pop_to(state, stack, active, state[TOP] - 1)
    if name == BUTTON:
        place = find(state, stack, BUTTON, SCOPE)
        if place >= 0:
            pop_to(state, stack, active, place)
    if name == TABLE:
        end_table(state, stack, active)


@kernel(types.void(*_TAG, types.boolean, types.int64))
def start_tag(state: State, stack: Stack, active: Active, name: Any, flags: int, closed: bool, tag: int) -> None:
    """`closed`: the tag ends in "/>"; `tag`: a hash of the whole tag, used for formatting elements only."""
    if flags & ROOT:
        return
    inside = top_flags(state, stack)
    if inside & FOREIGN and not inside & INTEGRATION:
        if not flags & BREAKOUT:
            start_foreign(state, stack, active, name, flags, closed)
            return
        while top_flags(state, stack) & FOREIGN and not top_flags(state, stack) & INTEGRATION:
            pop_to(state, stack, active, state[TOP] - 1)
    end_implied(state, stack, active, name, flags)
    part = flags & (CELL | SECTION) != 0 or name in (TR, CAPTION, COLGROUP)
    if part and not enter_table_part(state, stack, active, name, flags):
        return
    if name == FORM_TAG:
        if state[FORM]:
            return
        state[FORM] = 1
    if flags & FORMATTING:
        start_formatting(state, stack, active, name, tag)
        return
    if not flags & SPECIAL or flags & VOID:
        reopen(state, stack, active)
    if name in (SVG, MATH):
        start_foreign(state, stack, active, name, 0, closed)
    elif flags & (VOID | RAW):
        add_leaf(state)
    else:
        push(state, stack, active, name, flags)


@kernel(types.int64(STATE, STACK, types.uint64))
def find_in_table(state: State, stack: Stack, name: Any) -> Any:
    """Place of the open table or of its open part `name`, or -1."""
    for place in range(state[TOP] - 1, -1, -1):
        open_name = stack[place, 0]
        if open_name == name:
            return place
        if open_name in (TABLE, TEMPLATE):
            return -1
    return -1


@kernel(types.int64(STATE, STACK))
def find_heading(state: State, stack: Stack) -> Any:
    """Place of the innermost open heading: any heading's end tag closes it."""
    for place in range(state[TOP] - 1, -1, -1):
        flags = np.int64(stack[place, 1])
        if flags & HEADING:
            return place
        if flags & SCOPE:
            return -1
    return -1


@kernel(types.void(*_TAG))
def end_tag(state: State, stack: Stack, active: Active, name: Any, flags: int) -> None:
    if flags & (ROOT | VOID):
        return
    if flags & FORMATTING:
        one = find_active(state, active, np.int64(name))
        if one >= 0:
            end_formatting(state, stack, active, one)
            return
    if name == FORM_TAG:
        state[FORM] = 0
    if flags & HEADING:
        place = find_heading(state, stack)
    elif flags & (CELL | SECTION) or name in (TR, TABLE, CAPTION, COLGROUP):
        place = find_in_table(state, stack, name)
    elif name == P:
        place = find(state, stack, P, SCOPE | BUTTON_SCOPE)
        if place < 0:
            add_leaf(state)
    elif name == LI:
        place = find(state, stack, LI, SCOPE | LIST)
    else:
        place = find(state, stack, name, SCOPE if flags & SPECIAL else SPECIAL)
    if place >= 0:
        pop_to(state, stack, active, place)

"""Writes text as blocks with Markdown's marks, in one pass over it.

Lists, items, quotes and headings are containers. A block begins with its first character: only then are the lines
between it and the one before written, and the marks of the containers that have begun since. So what is empty leaves
nothing. Containers within MAX_WITHIN others have no marks; their text is kept.
"""

from typing import NamedTuple

import numpy as np

from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.unicode import encode

MAX_WITHIN = 12
MOST = 64  # bytes written for one of markup, which may be a line of code in half as many items of lists
POST, QUOTE, LIST, ITEM, HEADING = range(5)  # kinds of containers
# Of `state`: where the post begins, how far it is written, and where the line's white space begins; lines and white
# space that wait for the next character; whether a block has begun; how many containers are open; of a table's row 1,
# in its cells 2; whether a block of code is open, where its first fence ends, the longest and the last run of ticks.
BEGIN, TO, SOLID, BREAKS, BLANK, IN_LINE, OPEN, ROW, PRE, FENCE, LONGEST, RUN, STATE = range(13)
HASH, MORE, SPACE, NEWLINE, DASH, DOT, TICK = b"#> \n-.`"
_SHORTEST = 3  # backticks of a fence


class Post(NamedTuple):
    """A post in the making, behind others; container 0 is the post itself."""

    out: Out[Bytes]
    state: Out[Indices]  # int64[STATE]
    kinds: Out[Indices]  # int64[MAX_WITHIN]
    numbers: Out[Indices]  # int64[MAX_WITHIN]: of an item, 0: none; of a list's last item, -1: none; a heading's level
    written: Out[Indices]  # int64[MAX_WITHIN]: whether a block of it was written


def new_post(size: int) -> Post:
    """With room for the texts of `size` bytes of markup; room that is not written takes no memory."""
    kinds, numbers, written = (np.zeros(MAX_WITHIN, np.int64) for _ in range(3))
    return Post(np.empty(MOST * (size + 1), np.uint8), np.zeros(STATE, np.int64), kinds, numbers, written)


@kernel
def begin_post(post: Post) -> None:
    """Behind the one before."""
    end = post.state[TO]
    post.state[:] = 0
    post.state[BEGIN] = post.state[TO] = end
    post.state[OPEN] = 1


@kernel
def put(post: Post, byte: Int, times: Int) -> None:
    for _ in range(times):
        post.out[post.state[TO]] = byte
        post.state[TO] += 1


@kernel
def put_mark(post: Post, byte: Int) -> None:
    """After what waits."""
    before_text(post)
    put(post, byte, 1)
    post.state[SOLID] = post.state[TO]


@kernel
def _put_margin(post: Post, container: Int, first: Int) -> None:
    """What a line in the container begins with, its first line or another."""
    kind = post.kinds[container]
    number = post.numbers[container]
    if kind == QUOTE:
        put(post, MORE, 1)
        put(post, SPACE, 1)
    elif kind == HEADING and first:
        put(post, HASH, number)
        put(post, SPACE, 1)
    elif kind == ITEM:
        unit: Int = 1
        while unit * 10 <= number:
            unit *= 10
        while unit:
            digit = 48 + number // unit % 10 if number else DASH
            put(post, digit if first else SPACE, 1)
            unit //= 10
        put(post, DOT if first else SPACE, number > 0)
        put(post, SPACE, 1)


@kernel
def _new_line(post: Post, containers: Int) -> None:
    """A further line in the first `containers`."""
    put(post, NEWLINE, 1)
    for container in range(1, containers):
        _put_margin(post, container, 0)


@kernel
def _begin_block(post: Post) -> None:
    state = post.state
    last = state[OPEN] - 1
    while last > 0 and not post.written[last]:
        last -= 1
    if state[TO] > state[BEGIN]:
        for _ in range(2 if post.kinds[last] in (POST, QUOTE) else 1):
            _new_line(post, last + 1)
    for container in range(last + 1, state[OPEN]):
        _put_margin(post, container, 1)
        post.written[container] = 1
    state[IN_LINE] = 1


@kernel
def before_text(post: Post) -> None:
    """Write what waits before a character that is no white space."""
    state = post.state
    if not state[IN_LINE]:
        _begin_block(post)
    elif state[BREAKS]:
        state[TO] = state[SOLID]
        for _ in range(state[BREAKS]):
            _new_line(post, state[OPEN])
    elif state[BLANK]:
        put(post, SPACE, 1)
    state[BREAKS] = state[BLANK] = 0


@kernel
def end_block(post: Post) -> None:
    """The next character begins another block, if there is one here."""
    state = post.state
    if state[IN_LINE]:
        state[TO] = state[SOLID]
    state[IN_LINE] = state[BREAKS] = state[BLANK] = 0


@kernel
def put_code(post: Post, code: Int) -> None:
    """A character of a block of code; lines before the first with a character are left out."""
    state = post.state
    if code == NEWLINE:
        if state[FENCE]:
            _new_line(post, state[OPEN])
        state[RUN] = 0
        return
    if not state[FENCE]:
        _begin_block(post)
        put(post, TICK, _SHORTEST)
        state[FENCE] = state[TO]
        _new_line(post, state[OPEN])
    state[TO] = state[SOLID] = encode(post.out, state[TO], code)
    state[RUN] = state[RUN] + 1 if code == TICK else 0
    state[LONGEST] = max(state[LONGEST], state[RUN])


@kernel
def end_code(post: Post) -> None:
    """End the block of code, with fences that are longer than any in it."""
    state = post.state
    if state[FENCE]:
        more = max(state[LONGEST] + 1 - _SHORTEST, 0)
        for place in range(state[SOLID] - 1, state[FENCE] - 1, -1):
            post.out[place + more] = post.out[place]
        stop = state[SOLID] + more
        state[TO] = state[FENCE]
        put(post, TICK, more)
        state[TO] = stop
        _new_line(post, state[OPEN])
        put(post, TICK, _SHORTEST + more)
        state[SOLID] = state[TO]
    state[PRE] = state[FENCE] = state[LONGEST] = state[RUN] = 0
    end_block(post)


@kernel
def _place_of(post: Post, kind: Int) -> Int:
    """The innermost open container of a kind, for an item in the innermost list; 0: there is none."""
    container: Int = post.state[OPEN] - 1
    while container > 0 and post.kinds[container] != kind:
        if kind == ITEM and post.kinds[container] == LIST:
            return 0
        container -= 1
    return container


@kernel
def open_container(post: Post, kind: Int, number: Int) -> None:
    """An item ends the one before in its list, and is nothing outside of lists."""
    state = post.state
    if kind == ITEM:
        place = _place_of(post, LIST)
        if not place:
            return
        state[OPEN] = place + 1
        post.numbers[place] += post.numbers[place] >= 0
        number = max(post.numbers[place], 0)
    if state[OPEN] < MAX_WITHIN:
        post.kinds[state[OPEN]] = kind
        post.numbers[state[OPEN]] = number
        post.written[state[OPEN]] = 0
        state[OPEN] += 1


@kernel
def close_container(post: Post, kind: Int) -> None:
    place = _place_of(post, kind)
    if place:
        post.state[OPEN] = place

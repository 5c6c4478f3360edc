"""Compiled loops of packing: copy tokens into rows, and choose a row for each piece in best-fit packing.

N pieces or documents, S segments, R rows. A four-byte token is copied as two of two bytes, so one kernel serves both.
"""

import numpy as np
import numpy.typing as npt

from curation.text.kernels.compiler.kernel import Grid, Out, kernel

Halves = npt.NDArray[np.uint16]  # tokens, or halves of them
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@kernel
def gather(tokens: Halves, starts: Ints, lengths: Ints, counts: Ints, out: Out[Grid[Halves]]) -> None:
    """Fill row r of `out` with the next counts[r] segments, end to end; slots after them are left as they are."""
    segment = 0
    for row in range(len(counts)):
        position = 0
        for _ in range(counts[row]):
            start = starts[segment]
            for at in range(lengths[segment]):
                out[row, position + at] = tokens[start + at]
            position += lengths[segment]
            segment += 1


@kernel
def _least_space(somewhere: Out[Bools], leaves: int, length: int) -> int:
    """The smallest space, `length` or more, that some row has; -1 if there is none."""
    node = leaves + length
    if somewhere[node]:
        return length
    while node > 1 and (node % 2 == 1 or not somewhere[node + 1]):
        node //= 2
    if node <= 1:
        return -1
    node += 1
    while node < leaves:
        node *= 2
        if not somewhere[node]:
            node += 1
    return node - leaves


@kernel
def _clear(somewhere: Out[Bools], node: int) -> None:
    """Mark that no row has this leaf's space any longer."""
    somewhere[node] = False
    while node > 1 and not somewhere[node ^ 1]:
        node //= 2
        somewhere[node] = False


@kernel
def place(lengths: Ints, by_length: Ints, capacity: int, order: Out[Ints], counts: Out[Ints]) -> int:
    """Place the pieces in the order `by_length`: fills `order` and `counts` (zeros, one per piece). Returns the number
    of rows."""
    pieces = len(lengths)
    leaves = 1
    while leaves <= capacity:
        leaves *= 2
    somewhere = np.zeros(2 * leaves, np.bool_)  # node n: whether a row has the space of a leaf below; leaf = space
    last_row = np.full(capacity + 1, -1, np.int64)  # by space: the row that reached it last
    row_before = np.empty(pieces, np.int64)  # by row: the row that reached the same space before it
    row_of = np.empty(pieces, np.int64)
    rows = 0
    for piece in by_length:
        length = lengths[piece]
        space = _least_space(somewhere, leaves, length)
        if space < 0:
            row = rows
            space = capacity
            rows += 1
        else:
            row = last_row[space]
            last_row[space] = row_before[row]
            if last_row[space] < 0:
                _clear(somewhere, leaves + space)
        row_of[piece] = row
        counts[row] += 1
        space -= length
        if space > 0:
            row_before[row] = last_row[space]
            last_row[space] = row
            node = leaves + space
            while node and not somewhere[node]:
                somewhere[node] = True
                node //= 2
    starts = np.empty(rows, np.int64)
    total = 0
    for row in range(rows):
        starts[row] = total
        total += counts[row]
    for piece in by_length:
        row = row_of[piece]
        order[starts[row]] = piece
        starts[row] += 1
    return rows

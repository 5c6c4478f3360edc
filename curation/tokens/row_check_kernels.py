"""Compiled loops that check the ids of token rows, and what they check; see `shard_checks`.

They note in `found` the first place, counted in tokens of the file, that breaks each rule, and in `count` how many do.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.tokens.token_files import PADDING_BIT

RULES = LENGTHS, VOCABULARY, SPECIAL, BEGIN, END, PADDING = tuple(range(6))
# of a segment
FIRST = 1  # it begins a document
LAST = 2  # it ends one
KNOWN = 4  # whether it does is known
_PADDING_BIT = np.uint32(PADDING_BIT)

Ints = npt.NDArray[np.int64]
Ids = npt.NDArray[np.uint32]
Kinds = npt.NDArray[np.uint8]


class Rules(NamedTuple):
    """The rules for the ids of documents; -1 as `begin`: documents begin with their text."""

    special: Kinds  # by id: 1 where no text becomes it; the last entry, 1, is of all ids beyond the vocabulary
    begin: int
    end: int
    padding: int


@kernel
def _note(code: int, place: Int, found: Out[Ints], count: Out[Ints]) -> None:
    """Counts a break, and keeps the place of the first."""
    if count[code] == 0:
        found[code] = place
    count[code] += 1


@kernel
def _check_text(
    ids: Ids, start: Int, stop: Int, base: Int, kind: Int, rules: Rules, found: Out[Ints], count: Out[Ints]
) -> None:
    """Checks a segment ids[start:stop] of a document; places count from `base`."""
    if kind & FIRST and rules.begin >= 0:
        if np.int64(ids[start]) != rules.begin:
            _note(BEGIN, base + start, found, count)
        start += 1
    if kind & LAST:
        stop -= 1
        if stop < start or np.int64(ids[stop]) != rules.end:
            _note(END, base + stop, found, count)
    beyond = np.uint32(len(rules.special) - 1)
    broken = np.uint8(0)
    for at in range(start, stop):  # without a branch, which takes half the time
        broken |= rules.special[min(ids[at], beyond)]
    if broken:
        for at in range(start, stop):
            if ids[at] >= beyond:
                _note(VOCABULARY, base + at, found, count)
            elif rules.special[ids[at]]:
                _note(SPECIAL, base + at, found, count)


@kernel
def check_pieces(
    ids: Ids, base: Int, edges: Ints, kinds: Kinds, rules: Rules, found: Out[Ints], count: Out[Ints]
) -> None:
    """Checks the pieces ids[edges[i] : edges[i + 1]] of documents; places count from `base`."""
    for i in range(len(kinds)):
        _check_text(ids, edges[i], edges[i + 1], base, kinds[i], rules, found, count)


@kernel
def check_rows(
    ids: Ids,
    row_tokens: Int,
    first: Int,
    offsets: npt.NDArray[np.uint64],
    lengths: Ids,
    kinds: Kinds,
    rules: Rules,
    found: Out[Ints],
    count: Out[Ints],
) -> None:
    """Checks rows, the first of which is row `first` of the file; `lengths` and `kinds` are of all its segments."""
    base = first * row_tokens
    for row in range(len(offsets) - 1):
        start: Int = row * row_tokens
        stop = start + row_tokens
        segment: Int = np.int64(offsets[row])
        last: Int = np.int64(offsets[row + 1])
        if not 0 <= segment <= last <= len(lengths):
            last = segment
        while segment < last:
            length = lengths[segment]
            size = np.int64(length & ~_PADDING_BIT)
            if size == 0 or start + size > stop:
                break
            if length & _PADDING_BIT:
                for at in range(start, start + size):
                    if np.int64(ids[at]) != rules.padding:
                        _note(PADDING, base + at, found, count)
            else:
                kind = np.int64(kinds[segment])
                if kind & KNOWN == 0:
                    begins = rules.begin >= 0 and np.int64(ids[start]) == rules.begin
                    ends = segment + 1 < last or np.int64(ids[start + size - 1]) == rules.end
                    kind = np.int64(begins * FIRST | ends * LAST)
                _check_text(ids, start, start + size, base, kind, rules, found, count)
            start += size
            segment += 1
        if start != stop:
            _note(LENGTHS, base + row * row_tokens, found, count)

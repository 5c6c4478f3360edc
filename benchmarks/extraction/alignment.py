"""Finds the characters of a page's visible text in the text of an extractor.

Stretches that both have once are anchors. Between two anchors the characters are aligned with the least number of
gaps, so that a short run in a lost passage is not taken for one that was kept. At last, blocks that were moved are
looked for in what is left.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel

LOST = -1
_ANCHOR = 12  # characters that occur once
_SHARED = 6  # characters that a block must share with a gap of the text to be aligned with it
_MOVED = 8  # characters of the shortest block that is looked for elsewhere
_SMALL = 1_000_000  # cells that are aligned without choosing blocks
_LARGE = 60_000_000  # cells that are not aligned, but searched for whole blocks
_TRIM = 24  # characters at either end of an anchor that are aligned anew, so that gaps begin and end with runs
_MATCH, _AT_EDGE, _IN_RUN, _OF_TEXT = 2, 1, 4, 1  # the score of a match, and what each end of a gap costs
_ON, _UP, _LEFT, _UP_GOES_ON, _LEFT_GOES_ON = 0, 1, 2, 4, 8
_FACTOR = np.uint64(0x9E3779B97F4A7C15)

Codes = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]
Span = tuple[int, int]


def codes_of(text: str) -> Codes:
    """int32[N]: code points."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.int32)


def aligned(shown: str, edges: npt.NDArray[np.bool_], blocks: Sequence[Span], text: str) -> Codes:
    """int32[N]: the place in `text` of each character of `shown`, LOST where it has none. Both are without white space;
    `edges` says of which characters a run begins."""
    places = np.full(len(shown), LOST, np.int32)
    if not shown or not text:
        return places
    whole, found = codes_of(shown), codes_of(text)
    costs = np.append(np.where(edges, _AT_EDGE, _IN_RUN), _AT_EDGE).astype(np.int32)
    before = (0, 0)
    for start, at, size in [*map(_trimmed, _chain(whole, found)), (len(shown), len(text), 0)]:
        if start > before[0] and at > before[1]:
            gap = (before[0], start), (before[1], at)
            _fill_gap(shown, text, whole, found, costs, blocks, *gap, places)
        places[start : start + size] = np.arange(at, at + size)
        before = start + size, at + size
    _find_moved(shown, text, blocks, places)
    return places


def _trimmed(anchor: tuple[int, int, int]) -> tuple[int, int, int]:
    start, at, size = anchor
    cut = min(_TRIM, size // 3)
    return start + cut, at + cut, size - 2 * cut


def _grams(codes: Codes, size: int) -> npt.NDArray[np.uint64]:
    """uint64[N - size + 1]: a hash of each stretch of `size` characters."""
    count = max(0, len(codes) - size + 1)
    hashes = np.zeros(count, np.uint64)
    for offset in range(size):
        hashes = hashes * _FACTOR + codes[offset : offset + count].astype(np.uint64) + np.uint64(1)
    return hashes


def _chain(whole: Codes, found: Codes) -> list[tuple[int, int, int]]:
    """Anchors as (place in the visible text, place in the found text, size), increasing in both."""
    ones, counts, others, other_counts = (
        part
        for codes in (whole, found)
        for part in np.unique(_grams(codes, _ANCHOR), return_index=True, return_counts=True)[1:]
    )
    left = np.sort(ones[counts == 1])
    right = np.sort(others[other_counts == 1])
    hashes = _grams(whole, _ANCHOR)[left], _grams(found, _ANCHOR)[right]
    _, at_left, at_right = np.intersect1d(*hashes, assume_unique=True, return_indices=True)
    if not len(at_left):
        return []
    order = np.argsort(left[at_left], kind="stable")
    starts, ats = left[at_left][order], right[at_right][order]
    breaks = np.flatnonzero((np.diff(starts) != 1) | (np.diff(ats) != 1)) + 1
    firsts = np.concatenate(([0], breaks))
    lasts = np.concatenate((breaks, [len(starts)])) - 1
    sizes = starts[lasts] - starts[firsts] + _ANCHOR
    rows = np.stack((starts[firsts], ats[firsts], sizes), axis=1).astype(np.int64)
    return _without_overlaps(rows[_heaviest(rows)].tolist())


def _without_overlaps(chain: list[list[int]]) -> list[tuple[int, int, int]]:
    clipped: list[tuple[int, int, int]] = []
    end = (0, 0)
    for start, at, size in chain:
        over = max(0, end[0] - start, end[1] - at)
        if over < size:
            clipped.append((start + over, at + over, size - over))
            end = start + size, at + size
    return clipped


def _heaviest(rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """bool[S]: the rows of the increasing chain with the most characters."""
    chosen = np.zeros(len(rows), np.bool_)
    _choose(rows, chosen)
    return chosen


@kernel
def _choose(rows: Grid[npt.NDArray[np.int64]], chosen: Out[npt.NDArray[np.bool_]]) -> None:
    best = np.zeros(rows.shape[0], np.int64)
    previous = np.full(rows.shape[0], -1, np.int64)
    top: Int = 0
    for row in range(rows.shape[0]):
        best[row] = rows[row, 2]
        for other in range(row):
            if rows[other, 1] < rows[row, 1]:
                over = max(
                    np.int64(0),
                    rows[other, 0] + rows[other, 2] - rows[row, 0],
                    rows[other, 1] + rows[other, 2] - rows[row, 1],
                )
                score = best[other] + rows[row, 2] - over
                if score > best[row]:
                    best[row] = score
                    previous[row] = other
        if best[row] > best[top]:
            top = row
    while top >= 0:
        chosen[top] = True
        top = previous[top]


def _fill_gap(
    shown: str,
    text: str,
    whole: Codes,
    found: Codes,
    costs: Codes,
    blocks: Sequence[Span],
    own: Span,
    other: Span,
    places: Codes,
) -> None:
    """Align shown[own] with text[other], both between two anchors."""
    rows = np.arange(own[0], own[1])
    width = other[1] - other[0]
    if len(rows) * width > _SMALL:
        rows = _alike(shown, text[other[0] : other[1]], whole, found[other[0] : other[1]], blocks, own)
    if len(rows) * width > _LARGE:
        _find_in_order(shown, text, blocks, own, other, places)
    elif len(rows):
        at = np.full(len(rows), LOST, np.int32)
        _align(whole[rows], costs[rows], costs[rows + 1], found[other[0] : other[1]], at)
        places[rows[at >= 0]] = at[at >= 0] + other[0]


def _clipped(blocks: Sequence[Span], own: Span) -> list[Span]:
    """The parts of blocks in a stretch."""
    first = np.searchsorted([stop for _, stop in blocks], own[0], side="right")
    parts = []
    for start, stop in blocks[int(first) :]:
        if start >= own[1]:
            break
        parts.append((max(start, own[0]), min(stop, own[1])))
    return parts


def _alike(
    shown: str, text: str, whole: Codes, found: Codes, blocks: Sequence[Span], own: Span
) -> npt.NDArray[np.int64]:
    """The characters of the blocks that share any stretch with the text."""
    shared = np.isin(_grams(whole[own[0] : own[1]], _SHARED), _grams(found, _SHARED))
    sums = np.concatenate(([0], np.cumsum(shared)))
    kept = []
    for start, stop in _clipped(blocks, own):
        last = stop - _SHARED + 1
        alike = shown[start:stop] in text if last <= start else sums[last - own[0]] > sums[start - own[0]]
        if alike:
            kept.append(np.arange(start, stop))
    return np.concatenate(kept) if kept else np.empty(0, np.int64)


def _find_in_order(shown: str, text: str, blocks: Sequence[Span], own: Span, other: Span, places: Codes) -> None:
    """Place whole blocks, one behind the other."""
    at = other[0]
    for start, stop in _clipped(blocks, own):
        place = text.find(shown[start:stop], at, other[1])
        if place >= 0:
            at = place + stop - start
            places[start:stop] = np.arange(place, at)


@kernel
def _align(whole: Codes, opens: Codes, closes: Codes, found: Codes, places: Out[Codes]) -> None:
    """Fill in the place of each character in `found`, by the alignment with the highest score; a gap costs what
    `opens` has for its first character and `closes` for its last."""
    rows = whole.size
    columns = found.size
    trace = np.zeros((rows + 1, columns + 1), np.uint8)
    best = np.zeros(columns + 1, np.int32)  # of the row before
    up = np.full(columns + 1, -(1 << 30), np.int32)
    for column in range(1, columns + 1):
        best[column] = -_OF_TEXT
        trace[0, column] = _LEFT | (_LEFT_GOES_ON if column > 1 else 0)
    for row in range(1, rows + 1):
        diagonal = best[0]
        cost = opens[row - 1]
        close = closes[row - 1]
        start = best[0] - cost
        trace[row, 0] = _UP | (_UP_GOES_ON if up[0] >= start else 0)
        up[0] = max(start, up[0])
        best[0] = up[0] - close
        left = np.int32(-(1 << 30))
        for column in range(1, columns + 1):
            mark = 0
            opened = best[column] - cost
            if up[column] >= opened:
                mark |= _UP_GOES_ON
            else:
                up[column] = opened
            opened = best[column - 1] - _OF_TEXT
            if left >= opened:
                mark |= _LEFT_GOES_ON
            else:
                left = np.int32(opened)
            score = np.int32(-(1 << 30))
            if whole[row - 1] == found[column - 1]:
                score = np.int32(diagonal + _MATCH)
            if score < up[column] - close:
                score = up[column] - close
                mark |= _UP
            if score < left:
                score = left
                mark = mark & (_UP_GOES_ON | _LEFT_GOES_ON) | _LEFT
            diagonal = best[column]
            best[column] = score
            trace[row, column] = mark
    _trace_back(trace, places)


@kernel
def _trace_back(trace: Grid[Bytes], places: Out[Codes]) -> None:
    row: Int = trace.shape[0] - 1
    column: Int = trace.shape[1] - 1
    while row > 0 and column > 0:
        mark = trace[row, column] & 3
        if mark == _ON:
            row -= 1
            column -= 1
            places[row] = column
        elif mark == _UP:
            while trace[row, column] & _UP_GOES_ON and row > 1:
                row -= 1
            row -= 1
        else:
            while trace[row, column] & _LEFT_GOES_ON and column > 1:
                column -= 1
            column -= 1


def _find_moved(shown: str, text: str, blocks: Sequence[Span], places: Codes) -> None:
    """Place lost blocks in what is left of the text, each where it first stands."""
    left = np.ones(len(text), np.bool_)
    left[places[places >= 0]] = False
    if not left.any():
        return
    codes = codes_of(text).copy()
    codes[~left] = 0
    known = np.unique(_grams(codes, _MOVED))
    starts = _grams(codes_of(shown), _MOVED)
    rest = codes.tobytes().decode("utf-32-le", "surrogatepass")
    for start, stop in blocks:
        size = stop - start
        if size < _MOVED or (places[start:stop] >= 0).sum() * 2 >= size:
            continue
        slot = np.searchsorted(known, starts[start])
        if slot == len(known) or known[slot] != starts[start]:
            continue
        at = rest.find(shown[start:stop])
        if at >= 0:
            places[start:stop] = np.arange(at, at + size)
            rest = f"{rest[:at]}{chr(0) * size}{rest[at + size :]}"

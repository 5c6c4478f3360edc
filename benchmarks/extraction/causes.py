"""Puts every lost character of a page down to one cause.

A block of which less than half is in the extractor's text was not chosen as main content. Its cause is its place, and
`amid` says that blocks close before and behind it were kept. Of a block that is there, what is lost is put down to the
kind of the run that it is in, or to the characters themselves. Causes that end in ON_PURPOSE are text that extractors
leave out because readers do not want it.

White space is counted apart: `joined` are words that the page keeps apart and the text does not, `cut` are blanks that
the text has inside a word.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.extraction.alignment import LOST, Codes, aligned
from benchmarks.extraction.visible import BLANK, BLOCK, BREAK, NO_GAP, NUMBERED, Block, Run, Visible

WHOLE = "block"
AMID = "block amid kept ones"
INSIDE = "inside a kept block"
SPACE = "white space"
ON_PURPOSE = " (on purpose)"
CLOSE = 3  # blocks on either side, of which one must be kept
LONG = 200  # characters of a lost stretch that holds several runs
_OMITTED = frozenset(("edit link", "footnote mark", "ruby reading"))
_ALONE = frozenset(("time", "label", "button", "sup", "sub", "formula", "ruby reading", NUMBERED))
_NO_ELEMENTS = frozenset(("formula", "code", NUMBERED, *_OMITTED))
_ELEMENTS = frozenset(
    "a abbr b button cite del em font i ins label mark q s small span strike strong sub sup time u".split()
)
_ICON = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff\u00b6]+")
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")


class Loss(NamedTuple):
    """Lost characters shown[start:stop] of a page; of white space, a number of places."""

    cause: str
    characters: int
    start: int
    stop: int


def losses(page: Visible, text: str) -> tuple[int, list[Loss]]:
    """Counts of a page's visible characters: those in an extractor's text, and those lost by cause."""
    bare = "".join(text.split())
    edges = np.zeros(len(page.text), np.bool_)
    edges[[run.start for run in page.runs]] = True
    places = aligned(page.text, edges, [(block.start, block.stop) for block in page.blocks], bare)
    found = [_with_tex(loss) if "$" in text else loss for loss in _lost_text(page, places)]
    if bare:
        found += _lost_space(page, text, places)
    return int((places != LOST).sum()), found


def _with_tex(loss: Loss) -> Loss:
    """The loss in a text with TeX, which takes the place of formulas."""
    tex = loss.cause.endswith((": formula", ": formula alone"))
    return loss._replace(cause=f"{loss.cause}, TeX in its place{ON_PURPOSE}") if tex else loss


def _lost_text(page: Visible, places: Codes) -> Iterator[Loss]:
    kept = np.concatenate(([0], np.cumsum(places != LOST)))
    shares = [(kept[block.stop] - kept[block.start]) / (block.stop - block.start) for block in page.blocks]
    there = [share >= 0.5 for share in shares]
    first = 0
    for number, block in enumerate(page.blocks):
        while page.runs[first].block < number:
            first += 1
        if kept[block.stop] - kept[block.start] == block.stop - block.start:
            continue
        last = first
        while last < len(page.runs) and page.runs[last].block == number:
            last += 1
        runs = page.runs[first:last]
        if there[number]:
            yield from _inside(page, places, block, runs)
        else:
            cause = _of_block(page, block, runs, there, number, some=shares[number] > 0)
            lost = block.stop - block.start - int(kept[block.stop] - kept[block.start])
            yield Loss(cause, lost, block.start, block.stop)


def _of_block(page: Visible, block: Block, runs: list[Run], there: list[bool], number: int, *, some: bool) -> str:
    """The cause for a block that was not chosen."""
    if not (any(there[max(0, number - CLOSE) : number]) and any(there[number + 1 : number + 1 + CLOSE])):
        return f"{WHOLE}: {block.place}"
    if some:
        return f"{AMID}: less than half is kept"
    own = page.text[block.start : block.stop]
    if all(run.short for run in runs):
        return f"{AMID}: three bytes"
    if _ICON.fullmatch(own):
        return f"{AMID}: icon{ON_PURPOSE}"
    kinds = {run.kind for run in runs}
    if len(kinds) == 1 and kinds <= _ALONE:
        return f"{AMID}: {_named(min(kinds))} alone" + ON_PURPOSE * (kinds <= _OMITTED)
    return f"{AMID}: {block.place}"


def _inside(page: Visible, places: Codes, block: Block, runs: list[Run]) -> Iterator[Loss]:
    """Losses of a block that is there: stretches, or their parts in each run."""
    lost = np.flatnonzero(places[block.start : block.stop] == LOST) + block.start
    for stretch in np.split(lost, np.flatnonzero(np.diff(lost) != 1) + 1):
        start, stop = int(stretch[0]), int(stretch[-1]) + 1
        touched = [run for run in runs if run.start < stop and run.stop > start]
        if len(touched) > 1 and stop - start >= LONG:
            yield Loss(f"{INSIDE}: long stretch of several runs", stop - start, start, stop)
            continue
        for run in touched:
            part = max(run.start, start), min(run.stop, stop)
            yield Loss(f"{INSIDE}: {_of_run(page, run, *part)}", part[1] - part[0], *part)


def _of_run(page: Visible, run: Run, start: int, stop: int) -> str:
    own = page.text[start:stop]
    whole = (start, stop) == (run.start, run.stop)
    if _ICON.fullmatch(own):
        return f"icon or pilcrow{ON_PURPOSE}"
    if all(unicodedata.category(character) in ("Cf", "Cc", "Cn", "Mn") for character in own):
        return "invisible or combining characters"
    if whole and run.short:
        return "three bytes"
    if run.kind in _OMITTED:
        return run.kind + ON_PURPOSE
    if run.kind:
        return _named(run.kind)
    return "text outside inline elements" if whole else "part of a run"


def _named(kind: str) -> str:
    return kind if kind in _NO_ELEMENTS else f"<{kind}>" if kind in _ELEMENTS else "other inline element"


def _lost_space(page: Visible, text: str, places: Codes) -> Iterator[Loss]:
    """White space between characters that are both kept, one right behind the other."""
    before = _blanks_before(text)
    kept = places[1:] - places[:-1] == 1
    kept &= (places[1:] != LOST) & (places[:-1] != LOST)
    rows = np.flatnonzero(kept) + 1
    apart = before[places[rows]]
    names = {BLANK: "words joined at a blank", BREAK: "words joined at a <br>", BLOCK: "words joined between blocks"}
    starts = {run.start for run in page.runs}
    for row in rows[(page.gaps[rows] != NO_GAP) & (apart < 0)].tolist():
        if not _WIDE.match(page.text[row]) and not _WIDE.match(page.text[row - 1]):
            yield Loss(f"{SPACE}: {names[int(page.gaps[row])]}", 1, row, row + 1)
    for row in rows[(page.gaps[rows] == NO_GAP) & (apart >= 0)].tolist():
        where = "between inline elements" if row in starts else "in a run"
        yield Loss(f"{SPACE}: word cut {where}", 1, row, row + 1)
    lines = np.flatnonzero((page.indents >= 0) & (places != LOST))
    for row in lines[before[places[lines]] < page.indents[lines]].tolist():
        missing = int(page.indents[row] - max(before[places[row]], 0))
        yield Loss(f"{SPACE}: indent of a preformatted line", missing, row, row + 1)


def _blanks_before(text: str) -> npt.NDArray[np.int64]:
    """int64[M]: of each character that is not white space, how many blanks stand before it on its line; LOST where no
    white space does."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.int32)
    white = np.array([character.isspace() for character in text], np.bool_)
    rows = np.flatnonzero(~white)
    ends = np.maximum.accumulate(np.where(~white | (codes == ord("\n")), np.arange(len(text)), -1))
    last = np.concatenate(([-1], ends))[rows]
    blanks = rows - 1 - last
    joined = (blanks == 0) & (rows > 0) & ~white[np.maximum(rows - 1, 0)]
    return np.where(joined, LOST, blanks)

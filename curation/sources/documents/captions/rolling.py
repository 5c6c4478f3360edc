"""Lines of captions that roll up, once each.

Live and automatic captions show a line until the next one pushes it up, and each change is a cue: so lines come two or
three times, and grow by words. Such a file is known by its times of words, or by half of its cues beginning, without a
pause, with what the cue before ends with. Subtitles of films say some lines twice too, but seldom without a pause.
Copies of a cue at its very time, which renderers show as one, are dropped in any file.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

MAX_GAP = 50  # milliseconds between two cues of captions that roll up
MAX_PAUSE = 2000  # milliseconds, in such captions, after which a line that comes again is said again
ROLLED = 0.5  # of pairs of neighbouring cues, at least, that show a line in both
MIN_ROLLED = 2  # pairs


class ShownLines(NamedTuple):
    """The lines of a cue, at least one, and its times in milliseconds."""

    start: int
    end: int
    lines: list[str]


def said_once(cues: Sequence[ShownLines], *, words_timed: bool) -> list[list[str]]:
    """The lines of each cue that it is the first to show."""
    cues = [cue for number, cue in enumerate(cues) if not number or cue != cues[number - 1]]
    rolls = words_timed or _rolls(cues)
    kept: list[list[str]] = [list(cue.lines) for cue in cues[:1]]
    for before, cue in pairwise(cues):
        lines = list(cue.lines)
        if rolls and cue.start - before.end <= MAX_PAUSE:
            del lines[: _repeated(before.lines, lines)]
            if len(lines) == len(cue.lines) and _grows(before.lines, lines):
                kept[-1].pop()
        if lines:  # so that the last one ends with the line that was said last
            kept.append(lines)
    return kept


def _rolls(cues: Sequence[ShownLines]) -> bool:
    rolled = sum(
        cue.start - before.end <= MAX_GAP
        and (_repeated(before.lines, cue.lines) > 0 or _grows(before.lines, cue.lines))
        for before, cue in pairwise(cues)
    )
    return rolled >= max(MIN_ROLLED, ROLLED * (len(cues) - 1))


def _repeated(before: Sequence[str], lines: Sequence[str]) -> int:
    """Counts the first lines that are the last ones of the cue before."""
    most = min(len(before), len(lines), 4)
    return next((count for count in range(most, 0, -1) if before[-count:] == lines[:count]), 0)


def _grows(before: Sequence[str], lines: Sequence[str]) -> bool:
    """Whether the first line is the last one of the cue before with more words."""
    return lines[0].startswith(before[-1] + " ")

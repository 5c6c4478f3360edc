"""Tells which lines of a message are marked as quotes.

">" marks a quote, and so do the initials of its author ("DE> "), but Python's prompt is ">>> " and that of R ">". A
message that replies to none quotes none, unless a ">" stands before a line that says who wrote what follows, or before
three lines and more of prose.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from curation.sources.documents.mail.attributions import LINES, LONGEST, attribution, message_mark

QUOTE = re.compile(r" {0,4}>")
PROSE = 3  # lines that make a quote
_INITIALS = re.compile(r"\s{0,8}[A-Z]{1,4}[a-z]{0,12}>(?=\s|$)")
_TWO_DEEP = re.compile(r" {0,4}> ?>(?!>)")
_RESULT = re.compile(r"\[\d+\] |\+ ")
_MARKS = re.compile(r"[ >]{1,40}")
_CODE = re.compile(r"[()\[\]{}<=$\\]|^\s*[*#]|^[\w./-]{0,40}$")


def initials(lines: Iterable[str]) -> tuple[str, ...]:
    """The initials that stand before three of these lines or more."""
    found = Counter(match[0] for line in lines if (match := _INITIALS.match(line)))
    return tuple(mark for mark, times in found.items() if times >= PROSE)


def without_prompts(lines: Sequence[str], marked: bytearray) -> bytearray:
    """The lines that are `marked` with 1, since they begin with ">", but for those that were typed at a prompt of
    Python or of R."""
    if 1 not in marked:
        return marked
    found = bytearray(marked)
    python = any(line.startswith(">>> ") for line in lines) and not any(map(_TWO_DEEP.match, lines))
    result = False  # whether R's stands below
    for number in range(len(lines) - 1, -1, -1):
        if not marked[number]:
            result = _RESULT.match(lines[number]) is not None
        elif result or (python and lines[number].lstrip().startswith(">>> ")):
            found[number] = 0
    return found


def quotes_others(lines: Sequence[str], marked: bytearray) -> bool:
    """Whether the marked lines quote another message, of which the headers say nothing."""
    for quoting, run in groupby(range(len(lines)), marked.__getitem__):
        quoted = [_MARKS.sub("", lines[number][:LONGEST], 1) for number in run] if quoting else []
        for number, line in enumerate(quoted):
            if message_mark(quoted, number) or attribution(quoted[max(number - LINES, 0) : number], line, True):
                return True
        words = [line for line in quoted if line]
        if len(words) >= PROSE and 2 * sum(_CODE.search(line) is not None for line in words) < len(words):
            return True
    return False

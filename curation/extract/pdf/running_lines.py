"""Heads, feet and page numbers: lines at the edges of pages that repeat on several, but for their numbers."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from curation.extract.pdf.page_lines import UPWARDS, PageLine

REPEATS = 3  # pages that have a line
EDGE = 2  # lines at the top and as many at the bottom that may be a page's head or foot
DEEPEST = 8  # of those that follow one which is
MOST = 0.6  # of a page's lines
PLACE = 6.0  # points within which it stands on each
_NUMBER = re.compile(r"\d+|^[ivxlcdm]+$", re.IGNORECASE)
_ALONE = re.compile(r"\W*(\d{1,5})\W*")
_FIRST_OR_LAST = re.compile(r"(\d{1,5})\s.*|.*\s(\d{1,5})")
_NUMBERED = "\0"  # by its page's number, not by what it says
_LETTERS = re.compile(r"[^\W\d_]{2}")

Key = tuple[str, int]


def without_running_lines(pages: Sequence[Sequence[PageLine]]) -> tuple[list[list[PageLine]], int]:
    """The other lines of each page, and how many were cut."""
    edges = [[_edge(page, last) for last in (False, True)] + [_turned(page)] for page in pages]
    seen = Counter(
        key
        for number, (page, parts) in enumerate(zip(pages, edges, strict=True))
        for key in {key for part in parts for depth, at in enumerate(part) for key in _keys(page[at], number, depth)}
    )
    kept = []
    for number, (page, (top, bottom, turned)) in enumerate(zip(pages, edges, strict=True)):
        cut = {at for at in turned if _repeats(page[at], number, 0, seen)}
        deep: set[int] = set()
        for part in (top, bottom):
            for depth, at in enumerate(part):
                if _repeats(page[at], number, depth, seen):
                    (cut if depth < EDGE else deep).add(at)
                elif depth >= EDGE - 1:
                    break
        if len(cut | deep) <= MOST * len(page):  # else the page is one of several alike
            cut |= deep
        kept.append([line for at, line in enumerate(page) if at not in cut])
    return kept, sum(map(len, pages)) - sum(map(len, kept))


def _edge(page: Sequence[PageLine], last: bool) -> list[int]:
    """Numbers of the lines at the top or bottom, the outermost first."""
    level = [at for at, line in enumerate(page) if line.column != UPWARDS]
    return sorted(level, key=lambda at: page[at].middle, reverse=not last)[:DEEPEST]


def _turned(page: Sequence[PageLine]) -> list[int]:
    """Numbers of the lines that run upwards, as stamps on the margin do."""
    return [at for at, line in enumerate(page) if line.column == UPWARDS][:DEEPEST]


def _keys(line: PageLine, number: int, depth: int) -> Iterator[Key]:
    """By which a line is found on other pages: what it says but for numbers, and where; or its number, less that of the
    page, which may stand before or behind a title in the outermost line. A row of nothing but numbers may be one of a
    table."""
    alone = _ALONE.fullmatch(line.text)
    if alone:
        yield _NUMBERED, int(alone[1]) - number
    elif not depth and _LETTERS.search(line.text) and (found := _FIRST_OR_LAST.fullmatch(line.text)):
        yield _NUMBERED, int(found[1] or found[2]) - number
    if alone or _LETTERS.search(line.text) or len(line.text) < 5:
        place = int(line.middle // PLACE)
        said = _NUMBER.sub("#", line.text)
        yield said, place
        yield said, place + 1


def _repeats(line: PageLine, number: int, depth: int, seen: Counter[Key]) -> bool:
    return any(seen[key] >= REPEATS for key in _keys(line, number, depth))

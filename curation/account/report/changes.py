"""What a rewriter changed in a text, word by word, from shortly before the first change."""

import re
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal, NamedTuple

BEFORE = 200  # characters that are shown before the first change
_WORDS = re.compile(r"\s+|[^\s]+")
_PLACEHOLDER = re.compile(r"(<[A-Z][A-Z_]+>)")


class Segment(NamedTuple):
    """A piece of a text, as it stayed, as it was, or as it became."""

    kind: Literal["same", "removed", "added"]
    text: str


def changes(before: str, after: str, characters: int) -> tuple[Segment, ...]:
    """Both texts as one sequence of segments, at most so many characters of each."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    start = max(sum(1 for _ in alike) - BEFORE, 0)
    old = _WORDS.findall(before[start : start + characters])
    new = _WORDS.findall(after[start : start + characters])
    segments = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            segments.append(Segment("same", "".join(old[a:b])))
        else:
            segments += [Segment("removed", "".join(old[a:b])), Segment("added", "".join(new[c:d]))]
    return tuple(segment for segment in segments if segment.text)


def placeholders(text: str, characters: int) -> tuple[Segment, ...]:
    """A redacted text around its first placeholder, with placeholders as added: what they stand for is not shown."""
    first = _PLACEHOLDER.search(text)
    start = max(first.start() - BEFORE, 0) if first else 0
    pieces = _PLACEHOLDER.split(text[start : start + characters])
    return tuple(Segment("added" if n % 2 else "same", piece) for n, piece in enumerate(pieces) if piece)

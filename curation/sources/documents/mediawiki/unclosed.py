"""Tells wikitext that would keep the parser busy for minutes.

From each mark that is never closed mwparserfromhell 0.7.2 reads to the end of the page and then begins anew. A million
characters that are read again take it 0.1 to 0.6 s, after a tag without its `>` five times that (measured 2026-11).
"""

import re
from collections import Counter

MAX_READ_AGAIN = 8_000_000  # characters of a page, which take up to 5 s
TAG_WEIGHT = 5  # of a tag without its end
MAX_DEPTH = 100  # marks within each other; what is further in the parser reads, gives up and reads again
MAX_MARKS = 100_000  # of a page, each of which takes up to 50 µs
_COUNTED = (
    *("<", "{{", "[[", "||", "!!", "\n|", "\n!", "\n*", "\n#", "\n:", "\n;", "**", "##", "::", ";;", "-{"),
    *("\n--", "\n=", "&", "://"),
)

RAW_TAGS = frozenset(  # in which the parser takes nothing for a mark
    """categorytree ce chem gallery graph hiero imagemap inputbox math nowiki pre score section source syntaxhighlight
    templatedata timeline""".split()
)
VOID_TAGS = frozenset("br hr img link meta wbr".split())
_MARK = re.compile(
    r"(?P<open>\{\{|\[\[|\{\||\[|<!--)|(?P<close>\}\}|\]\]|\|\}(?!\})|\]|-->)"
    r"|<(?P<slash>/?)(?P<tag>[a-z][a-z0-9]{0,30})(?P<rest>[^<>]{0,500}>)?",
    re.IGNORECASE,
)
OPENED_BY = {"}}": "{{", "]]": "[[", "|}": "{|", "]": "[", "-->": "<!--"}
_RAW_END = re.compile(rf"(-->)|</({'|'.join(sorted(RAW_TAGS))})\b", re.IGNORECASE)


def read_again(wikitext: str) -> int:
    """How many characters the parser reads again, at most and about."""
    ends = raw_ends(wikitext)
    opened: list[tuple[str, int]] = []  # kinds, with the characters that follow
    counts: Counter[str] = Counter()
    raw = ""  # the comment or tag in which this place is
    cost = 0
    for mark in _MARK.finditer(wikitext):
        after = len(wikitext) - mark.start()
        tag = (mark["tag"] or "").lower()
        closed = OPENED_BY[mark["close"]] if mark["close"] else tag if mark["slash"] else ""
        if raw:
            raw = "" if closed == raw else raw
        elif closed:
            while counts[closed]:
                kind, wasted = opened.pop()
                counts[kind] -= 1
                if kind == closed:
                    break
                cost += wasted
        elif tag and mark["rest"] is None:
            cost += TAG_WEIGHT * after
        elif tag not in VOID_TAGS and not (mark["rest"] or "").endswith("/>"):
            kind = mark["open"] or tag
            if ends.get(kind, -1) > mark.start():
                raw = kind
                continue
            cost += after if len(opened) > MAX_DEPTH else 0
            opened.append((kind, after))
            counts[kind] += 1
    return cost + sum(wasted for _, wasted in opened)


def has_too_many_marks(wikitext: str) -> bool:
    """Whether a page has more marks than any article, each with its end."""
    return sum(map(wikitext.count, _COUNTED)) > MAX_MARKS


def raw_ends(wikitext: str) -> dict[str, int]:
    """Where the last comment ends, and the last tag of each kind in which nothing is a mark."""
    return {OPENED_BY.get(end[0]) or end[2].lower(): end.start() for end in _RAW_END.finditer(wikitext)}

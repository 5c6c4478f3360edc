"""Words over the ends of lines: a hyphen goes or stays as the document has the word elsewhere."""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

HYPHENS = "-\u2010\u00ad\x02\ufffe"  # U+0002 and U+FFFE are what PDFium makes of one at the end of a line
LEAST = 5  # letters of either half of a compound that the document does not have elsewhere, but both halves
OFTEN = 2  # times that it has the second
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST_WORD = re.compile(r"\b\w+$")
_FIRST_WORD = re.compile(r"\w+")
_RANGE = "\u2013\u2014/"  # dashes and a stroke without a space before them
_IN_ADDRESS = "/._?=&-"
LONGEST_ADDRESS = 500
_UNSPACED = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")  # Chinese and Japanese


class DocumentWords:
    """The words that a document has within its lines, in small letters, and pairs of words with a hyphen."""

    def __init__(self, lines: Iterable[str]) -> None:
        words: Counter[str] = Counter()
        broken = False
        for line in lines:
            found = _WORD.findall(line.lower())
            begin, broken = int(broken), line[-1] in HYPHENS
            words.update(found[begin : len(found) - broken])
        self._pairs: Counter[str] = Counter()
        self._words: Counter[str] = Counter()
        for word, count in words.items():
            parts = word.split("-")
            for part in parts:
                self._words[part] += count
            for first, second in pairwise(parts):
                self._pairs[f"{first}-{second}"] += count

    def between(self, before: str, text: str) -> tuple[str, str]:
        """A line, perhaps without its hyphen, and what stands between it and the next of the same paragraph."""
        if _goes_on(before):
            return before, ""
        if before[-1] in HYPHENS and (begun := _LAST_WORD.search(before[:-1])):
            ended = _FIRST_WORD.match(text)
            return before[:-1], "" if ended and self._is_one_word(begun[0], ended[0]) else "-"
        apart = not (_UNSPACED.match(before[-1]) and _UNSPACED.match(text[0]))
        return before, " " if apart else ""

    def _is_one_word(self, first: str, second: str) -> bool:
        capitals = first.isupper() and len(first) > 1
        small = first.isalpha() and (second.isupper() if capitals else second[0].islower())
        first = first.lower()
        second = second.lower()
        pair = self._pairs[f"{first}-{second}"]
        joined = self._words[first + second]
        if pair or joined or not small:
            return joined > 0 and joined >= pair
        halves = self._words[first] > 0 and self._words[second] >= OFTEN and min(len(first), len(second)) >= LEAST
        return not halves


def _goes_on(before: str) -> bool:
    """Whether a line ends within a range of numbers or an address."""
    if before[-1] in _RANGE and before[-2:-1].isalnum():
        return True
    return before[-1] in _IN_ADDRESS and "://" in before[-LONGEST_ADDRESS:].rsplit(" ", 1)[-1]


def is_broken(before: str, text: str) -> bool:
    """Whether a word goes on from the end of one line to the next."""
    return before[-1] in HYPHENS and before[-2:-1].isalpha() and text[0].islower()

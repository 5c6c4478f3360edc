"""Keeps what the author of a message wrote: without what it quotes, the signature, and the footer of a mailing list.

Lines that begin with ">", also behind a few spaces, are quotes where the message is a reply or a line above says who
wrote them; else they are its author's, as are Python's prompts (">>> ") where nothing is quoted two deep, and R's (">")
above their results. All from the first of these lines on is left out: a signature's ("-- "), "-----Original
Message-----", a copy of headers, and an attribution without marked quotes below; but where nothing is written above
such a line, only the line goes, since what is below may be the author's. See `armour`, `list_marks` and `attributions`.
"""

import re
from itertools import islice

from curation.sources.documents.mail.armour import has_armour, without_armour
from curation.sources.documents.mail.attributions import ENDS, attribution, message_mark
from curation.sources.documents.mail.list_marks import has_marks, parts, without_footer
from curation.sources.documents.mail.quote_marks import QUOTE, initials, quotes_others, without_prompts

MAX_SIGNATURE = 20  # lines below "-- "; of more the first paragraph is a signature
LEAST_TEXT = 6  # lines below "-- " and a blank line; of more none is a signature
RULE = "_" * 40
BELOW = 5  # lines below an attribution in which its quote begins
_OTHER_MARK = re.compile(r"\s?(?:\||:|[A-Za-z]{1,15}>)(?=\s|$)")
_INDENTED = re.compile(r"\t| {2,8}(?=\S)")
_WRAPPED = re.compile(r" {0,3}> ?(?:wrote)?:$")
_RULE = re.compile(r"[\s*_=-]*$|\W{0,4}original message\W{0,4}$", re.IGNORECASE)
_AUTHOR = re.compile(r"[^<>@:]{1,60} <[^<>\s]{1,60}@[^<>\s]{1,60}>\s*$")  # of a message below, in Lotus Notes
_GLUED = re.compile(r"(?<=[^_\s])(_{40,})(?=\n)")  # by Mailman to a text that does not end its last line
_TRAILING = re.compile(r"(?<![\s_])\s*\n_{15,}\s*\Z")  # a line of underscores that was left of a quote
_BLANKS = re.compile(r"\n{3,}")


def own_text(text: str, *, reply: bool) -> str:
    """The text is empty where nothing is left. `reply` says whether the message replies to another, by
    its headers or the quotes in its HTML."""
    if RULE in text:
        text = _GLUED.sub(r"\n\1", text)
    lines = [line.rstrip() for line in text.split("\n")]
    if has_armour(text):
        lines = list(without_armour(lines))
    own = (_OwnLines(part, reply).text() for part in (parts(lines) if has_marks(text) else [lines]))
    return _BLANKS.sub("\n\n", "\n\n".join(filter(None, own)))


class _OwnLines:
    """The lines of one part of a message, and those that are kept."""

    def __init__(self, text: list[str], reply: bool) -> None:
        lines = without_footer(text)
        signs = [number for number, line in enumerate(lines) if ">" in line]
        marked = bytearray(len(lines))
        for number in signs:
            marked[number] = QUOTE.match(lines[number]) is not None
        self._lines = lines
        self._quotes = reply or (1 in marked and quotes_others(lines, marked))  # whether ">" marks quotes
        self._marks = initials(lines[number] for number in signs if not marked[number])  # others of quotes
        self._marked = without_prompts(lines, marked)
        self._kept: list[str] = []

    def text(self) -> str:
        lines = self._lines
        number = 0
        for sign, line in enumerate(lines):
            if self._marked[sign] and self._quotes and line[-1] != ":":
                self._kept += lines[number:sign]
                number = max(number, sign + 1)
            elif sign >= number and (":" in line or ">" in line or "--" in line or "|" in line or "：" in line):
                self._kept += lines[number:sign]
                number = self._behind(sign, line)
                if number < 0:
                    break
        else:
            self._kept += lines[number:]
        return _TRAILING.sub("", "\n".join(self._kept)).strip()

    def _behind(self, number: int, line: str) -> int:
        """The line to go on with behind one that may begin a quote or a signature, -1: none."""
        if self._marked[number] or (self._marks and line.startswith(self._marks)):
            return self._behind_marked(number, line)
        if line == "--":
            return self._behind_signature(number + 1)
        if line.endswith(ENDS) and len(line) > 2:
            below = next((below for below in self._lines[number + 1 : number + 1 + BELOW] if below), "")
            quoted = QUOTE.match(below) is not None or _OTHER_MARK.match(below) is not None
            if wrapped := attribution(self._kept, line, quoted):
                del self._kept[len(self._kept) - wrapped + 1 :]
                return self._behind_attribution(number + 1, below) if quoted else self._behind_mark(number + 1)
        if marks := message_mark(self._lines, number):
            return self._behind_mark(number + marks)
        self._kept.append(line)
        return number + 1

    def _behind_marked(self, number: int, line: str) -> int:
        if _WRAPPED.match(line) and (wrapped := attribution(self._kept, line, True)):
            del self._kept[len(self._kept) - wrapped + 1 :]
            self._quotes = True
        elif not self._quotes:
            self._kept.append(line)
        return number + 1

    def _behind_attribution(self, number: int, quote: str) -> int:
        self._quotes = True
        other = _OTHER_MARK.match(quote)
        if other and other[0] not in self._marks:
            self._marks += (other[0],)
        return number

    def _behind_mark(self, number: int) -> int:
        """The line to go on with where another message stands from this one on, without a mark in its lines."""
        if indented := self._indented(number):
            return indented
        while self._kept and (_RULE.match(self._kept[-1]) or _AUTHOR.match(self._kept[-1])):
            del self._kept[-1]
        return -1 if self._kept else number

    def _indented(self, number: int) -> int:
        """The line behind two and more that are indented, as some programs quote; 0: there are none."""
        lines = self._lines
        while number < len(lines) and not lines[number].strip():
            number += 1
        indent = _INDENTED.match(lines[number]) if number < len(lines) else None
        quoted = 0
        while indent and number < len(lines) and (lines[number].startswith(indent[0]) or not lines[number].strip()):
            quoted += bool(lines[number].strip())
            number += 1
        return number if quoted > 1 else 0

    def _behind_signature(self, number: int) -> int:
        """The line to go on with behind a signature, -1: none."""
        lines = self._lines
        below = (line for line in map(lines.__getitem__, range(number, len(lines))) if line and not QUOTE.match(line))
        most = MAX_SIGNATURE if "".join(lines[number : number + 1]) else LEAST_TEXT
        if len(list(islice(below, most + 1))) <= most:
            return -1
        return next((end for end in range(number, len(lines)) if not lines[end]), -1)

"""Closes what wikitext leaves open, where a browser would: cells, rows, items, tables, comments.

mwparserfromhell takes a tag that is never closed for text, and all links and templates 100 of them further in. A cell,
row, item or paragraph ends where the next one begins or what is around it ends; a table ends with the page. Other tags
without their partner (`<small>`, `</center>`) are left out, a footnote with what follows it in its line.

Source: https://html.spec.whatwg.org/multipage/syntax.html#optional-tags; Help:Tables and Help:Extension:Cite at
https://www.mediawiki.org.
"""

import re
from collections import Counter
from typing import NamedTuple

from curation.sources.documents.mediawiki.unclosed import MAX_DEPTH, OPENED_BY, VOID_TAGS, raw_ends

_MARK = re.compile(
    r"(?P<row>^[ \t]*\|-)|(?P<open>\{\{|\[\[|\{\||<!--)|(?P<close>\}\}|\]\]|\|\}(?!\})|-->)"
    r"|<(?P<slash>/?)(?P<tag>[a-z][a-z0-9]{0,30})(?P<rest>[^<>]{0,500}>)?",
    re.IGNORECASE | re.MULTILINE,
)
_AROUND_CELL = frozenset(("table", "{|", "{{"))
_AROUND_ITEM = _AROUND_CELL | {"td", "th", "ul", "ol", "dl"}
_ENDS = {  # what ends before a tag -> what it stands in
    "td": (frozenset(("td", "th", "caption")), _AROUND_CELL | {"tr"}),
    "th": (frozenset(("td", "th", "caption")), _AROUND_CELL | {"tr"}),
    "tr": (frozenset(("tr", "caption")), _AROUND_CELL),
    "li": (frozenset(("li",)), _AROUND_ITEM),
    "dt": (frozenset(("dt", "dd")), _AROUND_ITEM),
    "dd": (frozenset(("dt", "dd")), _AROUND_ITEM),
    "p": (frozenset(("p",)), _AROUND_ITEM | {"li", "div", "blockquote", "center"}),
}
_LISTS = {"li": ("ul", "ol"), "dt": ("dl",), "dd": ("dl",)}
_CLOSED = frozenset((*_ENDS, "table", "ul", "ol", "dl", "caption"))  # where they have no end; others are left out
_NOT_SHOWN = {  # what stands behind a mark without an end
    "ref": re.compile(r"\A[^\n]+"),
    "[[": re.compile(r"\A[^|\n]{1,300}\|(?:[^|\n]{0,50}\|)*"),
}
_LEFT_OUT = frozenset("b big center code del div em font i ins s small span strike strong sub sup tt u".split())


class _Open(NamedTuple):
    kind: str
    place: int  # among the pieces


def closed(wikitext: str) -> str:
    """The same page, with an end for each mark."""
    return _Closing(wikitext).text()


class _Closing:
    def __init__(self, wikitext: str) -> None:
        self._wikitext = wikitext
        self._pieces: list[str] = []  # text and marks by turns
        self._stack: list[_Open] = []
        self._counts: Counter[str] = Counter()

    def text(self) -> str:
        ends = raw_ends(self._wikitext)
        at = 0
        raw = ""  # the comment or tag in which this place is
        for mark in _MARK.finditer(self._wikitext):
            tag = (mark["tag"] or "").lower()
            ended = OPENED_BY[mark["close"]] if mark["close"] else tag if mark["slash"] else ""
            kind = mark["open"] or tag
            if raw:
                raw = "" if ended == raw else raw
            elif kind == "<!--" and ends.get(kind, -1) < mark.start():  # what is behind it is not shown
                self._wikitext = self._wikitext[: mark.start()]
                break
            elif not ended and ends.get(kind, -1) > mark.start() and not (mark["rest"] or "").endswith("/>"):
                raw = kind
            else:
                self._pieces += self._wikitext[at : mark.start()], mark[0]
                at = mark.end()
                self._see(mark, kind, ended)
        self._pieces += self._wikitext[at:], ""
        self._end(0)
        return "".join(self._pieces)

    def _see(self, mark: re.Match[str], kind: str, ended: str) -> None:
        if (ended or kind) in _LISTS and not any(self._counts[name] for name in _LISTS[ended or kind]):
            return  # it ends with its line, which has a mark of wikitext
        if mark["row"]:
            self._end_within(frozenset(("{|",)), frozenset(("{{",)), keep=True)
        elif ended:
            if not self._end_within(frozenset((ended,)), _AROUND_CELL - {ended}) and ended in _CLOSED | _LEFT_OUT:
                self._pieces[-1] = ""
        elif kind not in VOID_TAGS and (mark["open"] or (mark["rest"] and not mark["rest"].endswith("/>"))):
            if kind in _ENDS:
                self._end_within(*_ENDS[kind], itself=True)
            self._stack.append(_Open(kind, len(self._pieces) - 1))
            self._counts[kind] += 1

    def _end_within(
        self, kinds: frozenset[str], around: frozenset[str], *, keep: bool = False, itself: bool = False
    ) -> bool:
        """Ends what stands in the innermost mark of these kinds, and takes that off the stack; `itself`: ends the mark,
        too. False where there is none, or not in the same cell."""
        if not any(self._counts[kind] for kind in kinds):
            return False
        for depth in range(len(self._stack) - 1, max(-1, len(self._stack) - 1 - MAX_DEPTH), -1):
            if self._stack[depth].kind in kinds:
                self._end(depth + (not itself))
                if not (keep or itself):
                    self._counts[self._stack.pop().kind] -= 1
                return True
            if self._stack[depth].kind in around:
                return False
        return False

    def _end(self, depth: int) -> None:
        """Ends the marks from this depth on, before the last piece."""
        ends = ""
        while len(self._stack) > depth:
            kind, place = self._stack.pop()
            self._counts[kind] -= 1
            if kind == "{|":
                ends += "\n|}\n"
            elif kind in _CLOSED:
                ends += f"</{kind}>"
            elif kind in _LEFT_OUT or kind in ("[[", "ref"):
                self._pieces[place] = ""
                if behind := _NOT_SHOWN.get(kind):
                    self._pieces[place + 1] = behind.sub("", self._pieces[place + 1], count=1)
        if ends:  # marks of tables must begin a line
            self._pieces[-1] = f"{ends}\n{self._pieces[-1]}" if "|" in self._pieces[-1] else ends + self._pieces[-1]

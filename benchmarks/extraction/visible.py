"""The visible text of a page, as runs of text in blocks, read apart from the extractors.

Resiliparse parses the page as a browser does, and lxml walks what it writes of the tree. Visible is what a browser
shows without style sheets: `hidden`, `display: none` and `visibility: hidden` of a tag are followed, and classes that
mark text for screen readers. What fills controls of forms, and what stands in place of scripts, is left out. The number
of an ordered list's item is a run, because a browser shows it.

White space is no part of the text, because the extractors write their own; where it stood is kept.
"""

import re
from typing import Any, NamedTuple

import lxml.html
import numpy as np
import numpy.typing as npt
from lxml.etree import iterwalk
from resiliparse.parse.html import HTMLTree

from benchmarks.extraction.places import place_of

NO_GAP, BLANK, BREAK, BLOCK = range(4)  # what stands before a character
LINE_INSIDE = -1  # of a character that does not begin a preformatted line
NUMBERED = "number of a list"

_HIDDEN = frozenset(
    "head title script style template noscript noframes noembed iframe object applet audio video canvas select datalist"
    " textarea option optgroup rp area map param desc metadata".split()
)
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure"
    " footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol p plaintext pre search"
    " section summary svg table tbody td tfoot th thead tr ul xmp marquee frameset".split()
)
_PRE = frozenset(("pre", "listing", "xmp", "plaintext"))
_CODE = frozenset(("code", "kbd", "samp", "tt", "var"))
_WEAK = frozenset("a abbr b bdi bdo big cite del em font i ins mark q s small span strike strong u".split())
_STRONG = frozenset(("button", "label", "sub", "sup", "time"))  # named also through elements inside them
_NOT_SHOWN = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)
_SCREEN_READERS = re.compile(r"(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-text|visuallyhidden)(?:\s|$)")
_FORMULA = re.compile(r"(?:^|\s)(?:katex|MathJax|mjx-|mwe-math)", re.IGNORECASE)
_NOTE = re.compile(r"reference|footnote|noteref|cite", re.IGNORECASE)
_WHITE = " \t\n\v\f\r"
_SHORT = 3  # bytes


class Run(NamedTuple):
    """Text between two tags: `text[start:stop]` of the page; `kind` names the element that says most about it. A short
    one has three bytes, without the white space of ASCII around it, and ends outside ASCII."""

    kind: str
    start: int
    stop: int
    block: int
    short: bool = False


class Block(NamedTuple):
    """Text up to the next element that begins a line; `place` names what it stands in."""

    place: str
    start: int
    stop: int


class Visible(NamedTuple):
    """A page's text without white space; of each character what stands before it, and how far a preformatted line is
    indented that it begins."""

    text: str
    gaps: npt.NDArray[np.uint8]
    indents: npt.NDArray[np.int32]
    runs: list[Run]
    blocks: list[Block]


def visible(html: str) -> Visible:
    """The visible text of a page's markup."""
    writer = _Writer()
    root = lxml.html.document_fromstring(
        str(HTMLTree.parse(html)).encode("utf-8", "replace") or b"<p>",
        parser=lxml.html.HTMLParser(encoding="utf-8", huge_tree=True),
    )
    walker = iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, element in walker:
        if event == "start":
            if _is_hidden(element):
                walker.skip_subtree()
                writer.skipped.add(element)
            else:
                writer.open(element)
                writer.text(element.text)
            continue
        if element in writer.skipped:
            writer.skipped.discard(element)
        elif event == "end":
            writer.close(element)
        writer.text(element.tail)
    return writer.result()


def _is_hidden(element: Any) -> bool:
    tag = element.tag
    if tag in _HIDDEN or not isinstance(tag, str):
        return True
    attributes = element.attrib
    if not attributes:
        return tag == "dialog"
    return (
        "hidden" in attributes
        or (tag == "dialog" and "open" not in attributes)
        or bool(_NOT_SHOWN.search(attributes.get("style", "")))
        or bool(_SCREEN_READERS.search(attributes.get("class", "")))
    )


class _Writer:
    """Collects runs and blocks in the order of the page."""

    def __init__(self) -> None:
        self.skipped: set[Any] = set()
        self._open: list[Any] = []
        self._kinds: list[tuple[str, str]] = [("", "")]  # strong and weak kind inside each open element
        self._parts: list[str] = []
        self._size = 0
        self._gaps: list[tuple[int, int]] = []
        self._indents: list[tuple[int, int]] = []
        self._runs: list[Run] = []
        self._starts: list[tuple[int, str]] = []
        self._within = False  # a block
        self._gap = BLOCK
        self._breaks = 0
        self._pre = 0
        self._indent = 0  # of the preformatted line; LINE_INSIDE behind its first character
        self._marker = ""
        self._numbers: dict[Any, int] = {}

    def open(self, element: Any) -> None:
        tag = element.tag
        self._open.append(element)
        strong, weak = self._kinds[-1]
        if tag in _BLOCKS:
            self._end_block()
            weak = ""
            if tag in _PRE:
                self._pre += 1
                self._indent = 0
            if tag == "li":
                self._marker = self._number(element)
        elif tag == "br":
            self._break()
        strong = _strong(element, strong)
        weak = "code" if tag in _CODE else tag if tag in _WEAK else weak if tag in _BLOCKS else weak or tag
        self._kinds.append((strong, weak))

    def close(self, element: Any) -> None:
        self._open.pop()
        self._kinds.pop()
        if element.tag in _BLOCKS:
            self._end_block()
            self._pre -= element.tag in _PRE
        if element.tag == "li":
            self._marker = ""

    def text(self, text: str | None) -> None:
        """A run, if it has more than white space."""
        if not text:
            return
        words = text.split()
        if text[0].isspace():
            self._gap = max(self._gap, BLANK)
        if words:
            self._begin_block()
            if self._marker:
                marker, self._marker = self._marker, ""
                self._run([marker], NUMBERED)
                self._gap = BLANK
            strong, weak = self._kinds[-1]
            if self._pre:
                self._mark_indents(text)
            self._run(words, strong or weak, short=_is_short(text))
            self._breaks = 0
            self._gap = BLANK if text[-1].isspace() else NO_GAP
        elif self._pre:
            self._mark_indents(text)

    def result(self) -> Visible:
        size = self._size
        gaps = np.zeros(size, np.uint8)
        for place, gap in self._gaps:
            gaps[place] = gap
        indents = np.full(size, LINE_INSIDE, np.int32)
        for place, indent in self._indents:
            indents[place] = indent
        stops = [*(start for start, _ in self._starts), size][1:]
        blocks = [Block(place, start, stop) for (start, place), stop in zip(self._starts, stops, strict=True)]
        return Visible("".join(self._parts), gaps, indents, self._runs, blocks)

    def _run(self, words: list[str], kind: str, *, short: bool = False) -> None:
        start = self._size
        for word in words:
            if self._gap:
                self._gaps.append((self._size, self._gap))
            self._parts.append(word)
            self._size += len(word)
            self._gap = BLANK
        self._runs.append(Run(kind, start, self._size, len(self._starts) - 1, short))

    def _begin_block(self) -> None:
        if not self._within:
            self._within = True
            self._starts.append((self._size, place_of(self._open)))
            self._gap = BLOCK

    def _end_block(self) -> None:
        self._within = False
        self._gap = BLOCK
        self._breaks = 0

    def _break(self) -> None:
        """A <br>; two begin a block."""
        self._breaks += 1
        self._gap = max(self._gap, BREAK)
        if self._breaks > 1:
            self._end_block()
        self._indent = 0

    def _mark_indents(self, text: str) -> None:
        """Note the lines that begin in a preformatted run."""
        place = self._size
        for number, line in enumerate(text.split("\n")):
            if number:
                self._indent = 0
            if self._indent == LINE_INSIDE:
                place += len("".join(line.split()))
                continue
            bare = line.lstrip()
            self._indent += len(line) - len(bare)
            if bare:
                self._indents.append((place, self._indent))
                self._indent = LINE_INSIDE
                place += len("".join(bare.split()))

    def _number(self, item: Any) -> str:
        """Marker that a browser writes before an item: "" in lists without numbers, and of letters or Roman numbers."""
        around = item.getparent()
        if around is None or around.tag != "ol" or around.get("type", "1") != "1":
            return ""
        if re.search(r"list-style(-type)?\s*:\s*none", around.get("style", "") + item.get("style", "")):
            return ""
        step = -1 if "reversed" in around.attrib else 1
        if around not in self._numbers:
            first = _whole(around.get("start"))
            items = sum(child.tag == "li" for child in around)
            self._numbers[around] = (first if first is not None else items if step < 0 else 1) - step
        own = _whole(item.get("value"))
        self._numbers[around] = own if own is not None else self._numbers[around] + step
        return f"{self._numbers[around]}."


def _is_short(text: str) -> bool:
    bare = text.strip(_WHITE)
    return bare[-1] > "\x7f" and len(bare.encode("utf-8", "replace")) == _SHORT


def _whole(number: str | None) -> int | None:
    return int(number) if number and re.fullmatch(r"\s*-?[0-9]{1,9}\s*", number) else None


def _strong(element: Any, around: str) -> str:
    """The kind of runs inside an element that elements inside it do not change, or that around it."""
    tag = element.tag
    classes = element.get("class", "")
    if around == "formula" or tag in ("math", "mjx-container") or _FORMULA.search(classes):
        return "formula"
    if "mw-editsection" in classes:
        return "edit link"
    if tag == "rt":
        return "ruby reading"
    if tag == "sup" and _is_note(element):
        return "footnote mark"
    if tag in _STRONG and around != "footnote mark":
        return str(tag)
    return around


def _is_note(sup: Any) -> bool:
    if _NOTE.search(sup.get("class", "")):
        return True
    links = [*sup.iter("a"), *([sup.getparent()] if sup.getparent() is not None else [])]
    return any("#" in (link.get("href") or "") for link in links)

"""The one form of a page's text, whatever extractor found it.

A break stands only where the page breaks: at a block or a <br>. A paragraph, heading, list, table or piece of
preformatted text is apart by one blank line where the extractor tells such blocks from others; list items, table rows
and <br> by a line. Other white space is one blank, and none at the ends of a line; preformatted text keeps its own. An
item begins with "- " or its number and ". ", two blanks further in per level. The cells of a row are apart by a tab,
which is no word, so that shares of words are those of the table's text; empty cells at the end leave none.

A cell of `CELL` characters and more that holds several blocks is layout, not data: its blocks stand as elsewhere.
"""

import re
from collections.abc import Iterable

from curation.extract.marks import CODE_CLOSES, CODE_OPENS, NUMBER_CLOSES, NUMBER_OPENS

CELL = 200  # characters; the largest cells of data tables are below, the columns of a page that is one table above
INDENT = "  "  # of a level of a list

_SPACE = re.compile("[ \t\n\f\r]+")
_BLANKS = " \t\n\f\r"
_BULLET = "\u2022 "
_ITEM = re.compile(f"{_BULLET}|[0-9]+\\. ")
_CELLS = re.compile("(?:(?<! ) +)?\t\t *")
_NUMBERED = re.compile(
    rf"^( *)(?:- |[0-9]+\. )[ \xa0]*([*_~`\[]*){NUMBER_OPENS}([^{NUMBER_OPENS}{NUMBER_CLOSES}\n]*){NUMBER_CLOSES} *",
    re.MULTILINE,
)
_NUMBER = re.compile(f"{NUMBER_OPENS}[^{NUMBER_OPENS}{NUMBER_CLOSES}\n]*{NUMBER_CLOSES} *")


class Writer:
    """Writes a text in the normal form: inline text, breaks, and text with breaks of its own."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []
        self._marker = ""

    def text(self, text: str | None) -> None:
        """Inline text."""
        if text:
            self._line.append(text)

    def mark(self, marker: str) -> None:
        """Begin a line with a marker that is written if text follows."""
        self.line()
        self._marker = marker

    def line(self) -> bool:
        """End the line; False if it is empty, and so none."""
        line = _SPACE.sub(" ", "".join(self._line)).strip(" ")
        self._line.clear()
        if line:
            self.whole(line)
        return bool(line)

    def blank(self) -> None:
        """End the line, and the paragraph."""
        self.line()
        self._marker = ""
        if self._lines and self._lines[-1]:
            self._lines.append("")

    def whole(self, line: str) -> None:
        """A line as it is, after the marker."""
        self._lines.append(self._marker + line)
        self._marker = ""

    def cells(self, cells: Iterable[str]) -> None:
        """A table's row."""
        self.line()
        row = "\t".join(cells).strip("\t")
        if row:
            self.whole(row)

    def preformatted(self, text: str) -> None:
        """A block that keeps its breaks, indents and blank lines."""
        self.blank()
        self._lines += (line.rstrip(_BLANKS) for line in text.strip("\r\n").rstrip().split("\n"))
        self.blank()

    def result(self) -> str:
        self.blank()
        return "\n".join(self._lines).rstrip("\n")


def formed(rendered: str) -> str:
    """The form of a text that Resiliparse rendered, with CODE_OPENS and CODE_CLOSES around preformatted text."""
    if CODE_OPENS not in rendered:
        return "\n".join(_lines(rendered)).strip("\n")
    writer = Writer()
    for place, part in enumerate(re.split(f"[{CODE_OPENS}{CODE_CLOSES}]", rendered)):
        if place % 2:
            writer.preformatted(part)
            continue
        writer.blank()
        for line in _lines(part.strip("\n")):
            writer.whole(line) if line else writer.blank()
    return writer.result()


def numbered(text: str) -> str:
    """A text in which items have the numbers that `curation.extract.prepare.lists` put behind those of the parser."""
    return _NUMBER.sub("", _NUMBERED.sub(_marker, text)) if NUMBER_OPENS in text else text


def _marker(item: re.Match[str]) -> str:
    """The indent and the number of an item, and the marks of Markdown that stand before its words."""
    ends_line = item.string[item.end() : item.end() + 1] in ("", "\n")
    return f"{item[1]}{item[3]}" if ends_line else f"{item[1]}{item[3]} {item[2]}"


def _lines(rendered: str) -> list[str]:
    """Lines with markers and tabs in the normal form. What is indented, by two blanks a level, is a list; only the
    text's first line has lost its indent. Lists have no empty lines within, and one around them."""
    lines: list[str] = []
    inside = gap = False
    for line in rendered.split("\n"):
        text = line.strip(_BLANKS)
        if not text or text == _BULLET[0]:  # of an item that begins with preformatted text
            gap = True
            continue
        indented = line.startswith(INDENT) or (not lines and text.startswith(_BULLET))
        if lines and (inside != indented or (gap and not inside)):
            lines.append("")
        inside = indented
        gap = False
        lines.append(_line(line, text, indented))
    return lines


def _line(line: str, text: str, indented: bool) -> str:
    if "\t" in text:
        text = _CELLS.sub("\t", text)
    if not indented or not (item := _ITEM.match(text)):
        return text
    level = max(0, (len(line) - len(line.lstrip(" "))) // len(INDENT) - 1)
    return INDENT * level + ("- " + text[item.end() :] if text.startswith(_BULLET) else text)

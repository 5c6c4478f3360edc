"""Marks in text for markup whose meaning plain text would lose: superscripts, and the numbers of a list's items.

What makes text of markup sees superscripts one at a time, often before the text around them is known, and numbers lists
from 1 on. So a reader of markup puts marks into the text (`marked` does it for HTML), lets its parser and its layout do
their work, and then writes what the marks stand for (`resolved`), when each line is as the reader of the text will see
it. Marks are code points that Unicode keeps for use within a program, so no text has them. They have four bytes,
because Resiliparse drops some texts of three.
"""

import re

from curation.text.html.superscript_bases import LOOK_BACK
from curation.text.html.superscripts import superscript

RAISED = "\U0001fffe"  # a superscript begins
LINKED = "\U0001ffff"  # a superscript begins that links to a note
ENDED = "\U0002fffe"  # it ends
LOWERED = "\U0002ffff"  # a subscript begins behind a slash
NUMBER = "\U0003fffe"  # behind the number that a list's item has by its order: its true marker follows
NUMBERED = "\U0003ffff"  # the marker ends
MAX_RAISED = 200  # characters of a superscript; of a longer one, or of one with lines, the text is kept as it is
MAX_WITHIN = 8  # superscripts within superscripts
_ANY = re.compile(f"[{RAISED}{LINKED}{ENDED}{LOWERED}{NUMBER}{NUMBERED}]")
_RAISING = re.compile(f"([{RAISED}{LINKED}{ENDED}])")
_NUMBERED = re.compile(rf"(?:\d{{1,9}}\. |[-•] )?{NUMBER}([^{NUMBER}{NUMBERED}\n]*){NUMBERED}[ \t]*(\n|\Z)?")
_AFTER = 12  # characters behind a superscript that can matter
_NO_SPACE = re.compile(r"[ \t\xa0]+\Z")
_CLOSES = (" ", "\n", "\t", "\xa0", ".", ",", ";", ":", "!", "?", ")", "]")


def raised(content: str, *, linked: bool = False) -> str:
    """A superscript between its marks."""
    return f"{LINKED if linked else RAISED}{content}{ENDED}"


def numbered(marker: str) -> str:
    """The mark of an item's marker, "" for a bullet; it belongs before the item's text."""
    return f"{NUMBER}{marker}{NUMBERED}"


def without_marks(text: str) -> str:
    """Text that has none of these code points."""
    return _ANY.sub("", text)


def resolved(text: str) -> str:
    """Text with superscripts and numbers written in the places of their marks; marks that lack another one go."""
    if text.isascii() or not (RAISED in text or LINKED in text or LOWERED in text or NUMBER in text):
        return text
    written = _with_superscripts(_RAISING.split(text)).replace(LOWERED, "")
    if NUMBER in written:
        written = _NUMBERED.sub(_marker, written)
    return without_marks(written)


def _marker(item: re.Match[str]) -> str:
    """What an item begins with, and the end of the line of one without text."""
    marker = f"{item[1]}." if item[1] else "-"
    return f"{marker} " if item[2] is None else marker + item[2]


def _with_superscripts(parts: list[str]) -> str:
    """Text of what is between marks and the marks, in turn."""
    open_marks: list[str] = []
    levels: list[list[str]] = [[]]  # what is written of the text, and of each superscript that is open
    for place, part in enumerate(parts):
        if part in (RAISED, LINKED):
            open_marks.append(part)
            if len(open_marks) <= MAX_WITHIN:
                levels.append([])
        elif part != ENDED:
            levels[-1] += [part] if part else []
        elif open_marks:
            mark = open_marks.pop()
            if len(open_marks) < MAX_WITHIN:
                _close(levels, mark, parts[place + 1][:_AFTER])
    return "".join("".join(level) for level in levels)


def _close(levels: list[list[str]], mark: str, after: str) -> None:
    """Write the innermost superscript into the one around it, or into the text."""
    content = "".join(levels.pop())
    around = levels[-1]
    if len(content) > MAX_RAISED or "\n" in content:
        around.append(content)
        return
    after = after.replace(LOWERED, "<sub>")
    written = superscript(_end_of(around), content.replace(LOWERED, ""), linked=mark == LINKED, after=after)
    if written:
        around.append(written)
    elif around and (not after or after.startswith(_CLOSES)):
        end = around[-1][-LOOK_BACK:]
        if end[-1] in " \t\xa0":  # else a long text would be copied for each of many marks
            around[-1] = around[-1][:-LOOK_BACK] + _NO_SPACE.sub("", end)


def _end_of(parts: list[str]) -> str:
    """The end of the line that is written last, at least LOOK_BACK characters of it where it has them."""
    end = ""
    for part in reversed(parts):
        end = part[-LOOK_BACK:] + end
        if "\n" in part or len(end) >= LOOK_BACK:
            break
    return end.rpartition("\n")[2].replace(LOWERED, "")

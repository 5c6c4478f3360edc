"""Marks in text for markup whose meaning plain text would lose: superscripts, and the numbers of a list's items.

What makes text of markup sees superscripts one at a time, often before the text around them is known, and numbers lists
from 1 on. So a reader of markup puts marks into the text (`marked` does it for HTML), lets its parser and its layout do
their work, and then writes what the marks stand for (`resolved`), when each line is as the reader of the text will see
it. Marks are code points that Unicode keeps for use within a program. They have four bytes, because Resiliparse drops
some texts of three. What a page has of them itself is written in another way (`spared`) until its text is resolved.
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
_SPARED = "\U0004fffe"  # one of these and a letter stand for a mark that the page has itself
_MARKS = RAISED + LINKED + ENDED + LOWERED + NUMBER + NUMBERED + _SPARED
_LETTERS = "abcdefg"
_SPARE = str.maketrans({mark: _SPARED + letter for mark, letter in zip(_MARKS, _LETTERS, strict=True)})
_OWN = re.compile(f"{_SPARED}([{_LETTERS}])")
_REFERENCE = re.compile(
    r"&#(?:[xX]0*[1-4][fF]{3}[eEfF]|0*(?:13107[01]|19660[67]|26214[23]|327678))(?:;|(?![\da-fA-F]))"
)
_ANY = re.compile(f"[{RAISED}{LINKED}{ENDED}{LOWERED}{NUMBER}{NUMBERED}]")
_RAISING = re.compile(f"([{RAISED}{LINKED}{ENDED}])")
_NUMBERED = re.compile(rf"(?:\d{{1,9}}\. |[-•] )?{NUMBER}([^{NUMBER}{NUMBERED}\n]*){NUMBERED}[ \t]*(\n|\Z)?")
_AFTER = 12  # characters behind a superscript that can matter
_NO_SPACE = re.compile(r"(?<![ \t\xa0])[ \t\xa0]+\Z")
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


def spared(markup: str) -> str:
    """HTML in which nothing is taken for a mark: `resolved` puts back what it has of these code points."""
    if "&#" in markup:
        markup = _REFERENCE.sub(_character, markup)
    return markup if markup.isascii() else markup.translate(_SPARE) if _has_marks(markup) else markup


def _has_marks(markup: str) -> bool:
    return any(mark in markup for mark in _MARKS)


def _character(reference: re.Match[str]) -> str:
    digits = reference[0][2:].rstrip(";")
    return chr(int(digits[1:], 16) if digits[0] in "xX" else int(digits.lstrip("0")))


def resolved(text: str) -> str:
    """Text with superscripts and numbers written in the places of their marks; marks that lack another one go."""
    if text.isascii() or not _has_marks(text):
        return text
    written = _with_superscripts(_RAISING.split(text)).replace(LOWERED, "")
    if NUMBER in written:
        written = _NUMBERED.sub(_marker, written)
    return _OWN.sub(lambda own: _MARKS[_LETTERS.index(own[1])], without_marks(written))


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

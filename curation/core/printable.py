"""Text from documents and file names without what would change the screen that shows it.

A terminal obeys ESC and the C1 controls, and marks of direction make a line read as another one.
"""

import re
import unicodedata

SUBSTITUTE = "\ufffd"
_COLOUR = re.compile(r"(\x1b\[(?:[0-2]|[39][1-7])?m)")  # of letters that can be seen


def printable(text: str, also: str = "") -> str:
    """The text with a substitute for each character that is not printable by `str.isprintable`, but those in `also`."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in also else SUBSTITUTE for char in text)


def printable_lines(text: str) -> str:
    """The same of lines; line breaks, tabs and blanks of any width stay."""
    if text.isprintable():
        return text
    blanks = {char for char in text if unicodedata.category(char) == "Zs"}
    return printable(text, "\n\r\t" + "".join(sorted(blanks)))


def coloured_lines(text: str) -> str:
    """The same, and colours stay."""
    return "".join(part if number % 2 else printable_lines(part) for number, part in enumerate(_COLOUR.split(text)))


def escaped(json_text: str) -> str:
    """JSON with its unprintable characters written as escapes, which mean the same."""
    if json_text.replace("\n", "").isprintable():
        return json_text
    return "".join(char if char.isprintable() or char == "\n" else _escape(char) for char in json_text)


def _escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))

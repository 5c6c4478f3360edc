"""Names of files as text: one rule for paths, globs, ids, origins, faults, reports and everything else.

The systems that name files, and archives, know bytes. Those that are UTF-8 are kept as they are. A byte that is not is
written as a backslash, an x and two hexadecimal digits: the Latin-1 name of `café.log` is `caf\\xe9.log`. Where a name
has such an escape of itself, its backslash is written as `\\x5c`. So two different names are two different texts, and a
name leads back to its file. Half characters of other texts, as JSON can name them, become U+FFFD, since they name
nothing.
"""

import os
import re
from typing import Any

MAX_NAME = 4096  # bytes of the name of a file in an archive; Linux's own limit of a path

_ESCAPE = re.compile(r"\\x(5c|[89a-f][0-9a-f])")
_HALF = re.compile("[\ud800-\udfff]")  # Python has a byte b that is no UTF-8 as U+DC00 + b
_BYTE = range(0xDC80, 0xDD00)


def name_text(name: str) -> str:
    """A name, in which Python has bytes that are not UTF-8 as half characters, as text."""
    if "\\x" in name:
        name = _ESCAPE.sub(lambda escape: f"\\x5c{escape[0][1:]}", name)
    return name if name.isascii() else _HALF.sub(_escaped, name)


def _escaped(half: re.Match[str]) -> str:
    code = ord(half[0])
    content = bytes([code - 0xDC00]) if code in _BYTE else half[0].encode("utf-8", "surrogatepass")
    return "".join(f"\\x{byte:02x}" for byte in content)


def system_name(text: str) -> str:
    """The name that `name_text` made a text of, as Python's functions for files take it."""
    return _ESCAPE.sub(lambda escape: _character(int(escape[1], 16)), text) if has_escape(text) else text


def _character(byte: int) -> str:
    return chr(byte) if byte < 0x80 else chr(0xDC00 + byte)


def has_escape(text: str) -> bool:
    """Whether a text stands for a name with other bytes than its own."""
    return "\\x" in text and _ESCAPE.search(text) is not None


def argument_text(argument: str) -> str:
    """An argument of a command as text: the name of a file as a shell gives it, or text by the rule above."""
    own = _HALF.search(argument) or (has_escape(argument) and os.path.lexists(argument))  # of any length
    return name_text(argument) if own else argument


def whole_text(text: str) -> str:
    """The text with U+FFFD for half characters; two halves that belong together become one character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def whole_texts(value: Any) -> Any:
    """A value of dictionaries, lists and texts, with `whole_text` of each text in it."""
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, dict):
        return {whole_texts(key): whole_texts(item) for key, item in value.items()}
    return [whole_texts(item) for item in value] if isinstance(value, list | tuple) else value

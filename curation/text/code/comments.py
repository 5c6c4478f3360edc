"""Counts the characters of source code in comments. N documents.

A comment goes from a mark to the end of its line, or from one mark to another; marks count, the line break does not.
Marks inside strings do not count. A string goes from a quote to the next one without a backslash before it, and ends
with its line unless it is in backticks or triple quotes. In Python, a triple-quoted string that begins its line is
documentation, and so a comment.

This is not a parser: what only a language's grammar can tell (a regular expression with a quote, a here-document) may
be read as a string or a comment.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from curation.text.kernels.blocks import REACH, characters_in, stands_at
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.kernel import Int, kernel

_NEWLINE = 10
_BACKSLASH = 92
_BACKTICK = 96
_RETURN = 13


@dataclass(frozen=True)
class Syntax:
    """How a language marks comments (to the line's end, or from the first to the second of `block`) and strings."""

    line: tuple[str, ...] = ()
    block: tuple[str, str] | None = None
    quotes: str = "\"'"
    documented: bool = False  # triple-quoted strings may be comments


C = Syntax(("//",), ("/*", "*/"))
SCRIPT = Syntax(("//",), ("/*", "*/"), "\"'`")
PLAIN_C = Syntax(("//",), ("/*", "*/"), '"')  # single quotes have other uses
HASH = Syntax(("#",))
MARKUP = Syntax((), ("<!--", "-->"), "")

SYNTAXES: dict[str, Syntax] = {
    **dict.fromkeys(("c", "c++", "c#", "objective-c", "java", "kotlin", "scala", "dart", "swift", "groovy", "cuda"), C),
    **dict.fromkeys(("javascript", "typescript", "go"), SCRIPT),
    "rust": PLAIN_C,
    "zig": Syntax(("//",)),
    "php": Syntax(("//", "#"), ("/*", "*/")),
    "css": Syntax((), ("/*", "*/")),
    "scss": C,
    "python": Syntax(("#",), None, "\"'", True),
    **dict.fromkeys(("ruby", "shell", "perl", "r", "yaml", "toml", "makefile", "dockerfile", "elixir", "cmake"), HASH),
    "julia": Syntax(("#",), ("#=", "=#"), '"'),
    "powershell": Syntax(("#",), ("<#", "#>")),
    "sql": Syntax(("--",), ("/*", "*/")),
    "lua": Syntax(("--",), ("--[[", "]]")),
    "haskell": Syntax(("--",), ("{-", "-}"), '"'),
    "erlang": Syntax(("%",), None, '"'),
    "tex": Syntax(("%",), None, ""),
    **dict.fromkeys(("lisp", "clojure", "scheme"), Syntax((";",), None, '"')),
    **dict.fromkeys(("html", "xml", "markdown"), MARKUP),
}


def comment_characters(array: pa.Array | pa.ChunkedArray, syntax: Syntax) -> Indices:
    """int64[N]: characters of text[N] in comments."""
    block = syntax.block or ("", "")
    marks, bounds = text_buffers(pa.array([*block, *syntax.line], pa.large_string()))
    quotes = np.zeros(256, np.uint8)
    quotes[list(syntax.quotes.encode())] = 1
    return _count(*text_buffers(array), marks, bounds, quotes, syntax.documented)


@kernel
def _stands(data: Bytes, at: int, stop: int, marks: Bytes, first: int, last: int) -> bool:
    """Whether the mark marks[first:last] is at byte `at`; an empty mark never is."""
    return first < last and stands_at(data, at, stop, marks, first, last)


@kernel
def _line_end(data: Bytes, at: Int, stop: Int) -> Int:
    """The end of the line of byte `at`, without "\r\n" or "\n"."""
    begin = at
    while at < stop and data[at] != _NEWLINE:
        at += 1
    return at - 1 if at > begin and at < stop and data[at - 1] == _RETURN else at


@kernel
def _tripled(data: Bytes, at: Int, stop: Int) -> bool:
    """Whether the three bytes at `at` are equal."""
    return bool(at + 2 < stop and data[at] == data[at + 1] and data[at] == data[at + 2])


@kernel
def _string_end(data: Bytes, at: Int, stop: Int, tripled: bool) -> Int:
    """The end of the string whose quote is at byte `at`."""
    quote = data[at]
    lines = tripled or quote == _BACKTICK
    at += 3 if tripled else 1
    while at < stop:
        if data[at] == _BACKSLASH:
            at += 1
        elif data[at] == _NEWLINE and not lines:
            return at
        elif data[at] == quote and (not tripled or _tripled(data, at, stop)):
            return at + (3 if tripled else 1)
        at += 1
    return min(at, stop)


@kernel
def _count(data: Bytes, offsets: Indices, marks: Bytes, bounds: Indices, quotes: Bytes, documented: bool) -> Indices:
    begins = np.zeros(256, np.uint8)
    counts = np.zeros(offsets.size - 1, np.int64)
    pad = np.empty(REACH, np.uint8)
    for mark in range(bounds.size - 1):
        if mark != 1 and bounds[mark] < bounds[mark + 1]:
            begins[marks[bounds[mark]]] = 1
    for document in range(offsets.size - 1):
        # bare: only whitespace on the line so far
        at = offsets[document]
        stop = offsets[document + 1]
        bare = True
        while at < stop:
            byte = data[at]
            end = at
            comment = False
            if begins[byte]:
                if _stands(data, at, stop, marks, bounds[0], bounds[1]):
                    end = at + bounds[1] - bounds[0]
                    comment = True
                    while end < stop and not _stands(data, end, stop, marks, bounds[1], bounds[2]):
                        end += 1
                    end = min(end + bounds[2] - bounds[1], stop)
                for mark in range(2, bounds.size - 1):
                    if not comment and _stands(data, at, stop, marks, bounds[mark], bounds[mark + 1]):
                        end = _line_end(data, at, stop)
                        comment = True
            if quotes[byte] and not comment:
                tripled = documented and _tripled(data, at, stop)
                end = _string_end(data, at, stop, tripled)
                comment = tripled and bare
            if comment:
                counts[document] += characters_in(data, at, end, pad)
            bare = byte == _NEWLINE or (bare and (byte == 32 or byte == 9 or byte == _RETURN))
            at = max(end, at + 1)
    return counts

"""Cuts TeX into tokens: runs of text, control sequences, and each character that means something. Comments are gone.

Environments whose content is no TeX are one token each, `\\verb|…|` too; those that show nothing in words are left out.
Categories of characters stay those of LaTeX, except that "@" is a letter, as in packages.

Source: Knuth 1984, "The TeXbook", chapters 7 and 8: a comment ends with its line and the blanks that begin the next;
a blank line ends a paragraph.
"""

import re
from collections.abc import Iterator

PARAGRAPH = "\n\n"
CODE = ("verbatim", "Verbatim", "lstlisting", "minted", "alltt")
UNSEEN = ("comment", "filecontents", "tikzpicture", "pspicture", "picture", "CCSXML")
STRETCH = 1 << 16  # characters that are cut at once
LIST = 1 << 12  # tokens
MAX_RUN = 10_000  # characters of text in a token, which is copied for each that is taken from it
_BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")
_LINE = re.compile(r"\n(?=\S)")
_TOKEN = re.compile(
    rf"[^\\{{}}$&#%\[\]\n]{{1,{MAX_RUN}}}"
    r"|\\[a-zA-Z@]+|\\[\s\S]"
    r"|\n\n|\n[ \t]*"
    r"|[{}$&\[\]]|#+[1-9]?"
    r"|%[^\n]*(?:\n[ \t]*(?![ \t\n]))?"
    r"|\\"
)
_RAW = re.compile(
    r"%[^\n]*|\\(?:verb|lstinline)\*?([^a-zA-Z\s*\[{])[^\n]{0,500}?\1"
    rf"|\\begin\{{((?:{'|'.join((*CODE, *UNSEEN))})\*?)\}}|\\[\s\S]"
)
_MAY_BE_RAW = re.compile(rf"\\verb|\\lstinline|\\begin\{{(?:{'|'.join((*CODE, *UNSEEN))})")


def token_lists(source: str) -> Iterator[list[str]]:
    """All in order, some thousand in a list, since those of a long paper need much memory; blank lines are
    `PARAGRAPH`."""
    found: list[str] = []
    for part, raw in _parts(source):
        if raw:
            found.append(part)
            continue
        for lines in _pieces(part):
            text = _BLANK_LINES.sub(PARAGRAPH, lines)
            at = 0
            while at < len(text):
                cut, at = _cut(text, at)
                found += [token for token in cut if token[0] != "%"]
                if len(found) > LIST:
                    yield found
                    found = []
    yield found


def _pieces(part: str) -> Iterator[str]:
    """A part cut before lines that begin with a character."""
    at = 0
    while at < len(part):
        found = _LINE.search(part, at + STRETCH)
        end = found.end() if found else len(part)
        yield part[at:end]
        at = end


def _cut(text: str, at: int) -> tuple[list[str], int]:
    """Tokens of a stretch of text, and where the next stretch begins: with the token that this one cuts short."""
    end = min(at + STRETCH, len(text))
    found = _TOKEN.findall(text, at, end)
    if end < len(text) and len(found) > 1:
        end -= len(found.pop())
    elif end < len(text) and found[0][0] == "%":
        line_end = text.find("\n", end)
        end = line_end if line_end >= 0 else len(text)
    return found, end


def _parts(source: str) -> Iterator[tuple[str, bool]]:
    """The source cut where tokens begin and end that are no TeX inside, and whether each part is one."""
    done = at = 0
    last = max((one.start() for one in _MAY_BE_RAW.finditer(source)), default=-1)
    missing: set[str] = set()  # environments that do not end any more: each is searched for once
    while at <= last and (found := _RAW.search(source, at)):
        at = end = found.end()
        name = found[2]
        if name and name not in missing:
            closing = source.find(f"\\end{{{name}}}", at)
            missing |= {name} if closing < 0 else set()
            end = closing + len(f"\\end{{{name}}}")
        if name in missing or not (name or found[1]):
            continue
        yield source[done : found.start()], False
        if not name or name.rstrip("*") in CODE:
            yield source[found.start() : end], True
        done = at = end
    yield source[done:], False

"""TeX in one line; the text that stands for a formula: `$…$` in a line of text, `$$…$$` displayed; its paragraph."""

import html
import re

MAX_CHARACTERS = 20_000  # of a formula; a longer one is left as the page has it

_TAG_LIKE = re.compile(r"<(?=[a-zA-Z/!?])")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*(?:\n|$)")
_STYLED = re.compile(r"\{\s*\\(displaystyle|textstyle|scriptstyle)(?![a-zA-Z])\s*+(.*)\}", re.DOTALL)
_DELIMITERS = (("$$", "$$", True), ("\\[", "\\]", True), ("$", "$", False), ("\\(", "\\)", False))
_NEAR = 600  # bytes looked at on either side of a formula
_BOX = rb"(?:div|center|section|article|figure|main)"
_BEFORE = re.compile(rb"<" + _BOX + rb"\b[^<>]*>\s*(?:<span\b[^<>]*>\s*)*\Z", re.IGNORECASE)
_AFTER = re.compile(rb"\s*(?:</span\s*>\s*)*</" + _BOX + rb"\b", re.IGNORECASE)
_DISPLAYED = re.compile(r"\\begin\s*\{(?:equation|align|gather|multline|eqnarray|flalign|alignat)\*?\}")


def one_line(tex: str) -> str:
    """TeX without comments and line breaks; a space that a final backslash needs stays."""
    if "\n" in tex:
        tex = _COMMENT.sub(r"\1", tex)
    line = " ".join(tex.split())
    backslashes = len(line) - len(line.rstrip("\\"))
    return f"{line} " if backslashes % 2 else line


def written(tex: str, *, display: bool) -> str | None:
    """A formula between dollar signs; None if there is nothing of it, or too much.

    Delimiters that the TeX has already decide about `display` in its place. The braces with \\displaystyle in which
    Wikipedia puts every formula are taken off.
    """
    if len(tex) > MAX_CHARACTERS:
        return None
    line = one_line(tex)
    for opening, closing, displayed in _DELIMITERS:
        inner = line[len(opening) : -len(closing)]
        if inner.strip() and line.startswith(opening) and line.endswith(closing) and closing not in inner:
            line = one_line(inner)
            display = displayed
            break
    styled = _STYLED.fullmatch(line)
    if styled and _balanced(styled[2]):
        line = one_line(styled[2])
    if not line.strip():
        return None
    return f"$${line}$$" if display or _DISPLAYED.match(line) else f"${line}$"


def as_markup(tex: str) -> bytes:
    """TeX as it is written into a page. A "<" that would begin a tag gets a space behind it, which says nothing in TeX:
    etrafilatura 0.1.0 drops the rest of the paragraph at "a<b", escaped or not."""
    return html.escape(_TAG_LIKE.sub("< ", tex), quote=False).encode("utf-8", "replace")


def needs_paragraph(page: bytes, start: int, end: int, *, display: bool) -> bool:
    """Whether the formula page[start:end] begins a box, and, unless it is displayed, also ends it: trafilatura drops
    text that stands in a box without a paragraph."""
    near = page[max(0, start - _NEAR) : start].rstrip()
    if not near.endswith(b">") or not _BEFORE.search(near):
        return False
    return display or _AFTER.match(page, end, end + _NEAR) is not None


def _balanced(tex: str) -> bool:
    """Whether no brace closes one that was not opened in the text."""
    depth = 0
    for brace in re.findall(r"\\.|[{}]", tex):
        depth += (brace == "{") - (brace == "}")
        if depth < 0:
            return False
    return depth == 0

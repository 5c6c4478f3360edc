"""Keeps formulas whole that a page's text states between delimiters, for MathJax or KaTeX to render.

The delimiters stay as they are. What would break a formula in a parser is undone: line breaks and <br>, `<` before a
letter, which a parser takes for a tag, and the <em> that a Markdown processor made of underscores. `$…$` counts as a
formula only on a page that sets it up, or where its content is plainly TeX. AsciiMath stays as it is.

Sources: the documentation of MathJax, "MathJax TeX and LaTeX Support" (delimiters) and "Configuring MathJax"
(`skipHtmlTags`); of KaTeX, "Auto-render Extension".
"""

import re
from typing import NamedTuple

from curation.extract.formulas.tex import MAX_CHARACTERS, as_markup, needs_paragraph, one_line
from curation.text.html.unescape import unescaped

MAX_OPENINGS = 20_000  # opening delimiters looked at in a page; what follows them is left as it is

_CLOSING = {b"\\(": b"\\)", b"\\[": b"\\]", b"$$": b"$$", b"$": b"$"}
_OPENING = re.compile(  # one set of bytes first, which the search jumps to
    rb"[<\\$](?:(?<=<)(?:(?P<comment>!--)|(?P<skipped>(?i:script|style|textarea|pre|code|title|xmp|noscript|math))(?=[\s>/]))"
    rb"|(?<=\\)(?:[(\[]|begin\{(?P<environment>(?:equation|align|alignat|gather|multline|eqnarray|flalign)\*?)\})"
    rb"|(?<=\$)(?:\$|(?<![\\\w]\$)(?=[^\s$])))"
)
_SET_UP = re.compile(rb"[\[(:]\s*([\"'])\$\1")  # [['$', '$']] of MathJax, {left: "$"} of KaTeX
_PLAINLY_TEX = re.compile(rb"\\[a-zA-Z]{2,}|[_^]\{|\w[_^]\w")
_INSIDE = re.compile(rb"<(/?)(br|em|i|wbr)\s*/?>", re.IGNORECASE)
_BREAKS = re.compile(rb"\n|<|&lt;[a-zA-Z/!?]")
_TAG_START = re.compile(rb"</?[a-zA-Z]")
_NEAR = 2_000  # bytes of a tag
_TAG = re.compile(rb"</|<!--|<[a-zA-Z][a-zA-Z0-9]*(?:\s[^<>]*)?/?>")


class DelimitedFormula(NamedTuple):
    """A formula in the page's bytes start:end, delimiters included; its content starts and stops inside."""

    start: int
    content: int
    stop: int
    end: int


class _Text:
    """A page, and where the next of each closing delimiter is: found once, so that time is linear in bytes."""

    def __init__(self, page: bytes) -> None:
        self.page = page
        self._next: dict[bytes, int] = {}

    def find(self, word: bytes, at: int) -> int:
        """Where a word is next, from `at` on, which never goes back; past the page's end if nowhere."""
        if self._next.get(word, -1) < at:
            place = self.page.find(word, at)
            self._next[word] = len(self.page) if place < 0 else place
        return self._next[word]


def kept_whole(page: bytes) -> tuple[bytes, int]:
    """A page with its delimited formulas each in one piece of text, and how many it has."""
    text = _Text(page)
    single = _SET_UP.search(page) is not None
    pieces: list[bytes] = []
    done = formulas = at = openings = 0
    while openings < MAX_OPENINGS and (opening := _OPENING.search(page, at)):
        at = opening.end()
        if opening["comment"] or opening["skipped"]:
            at = _after(text, opening)
        if opening["comment"] or opening["skipped"] or _in_tag(page, done, opening.start()):
            continue
        openings += 1
        span = _span(text, opening)
        whole = _whole(page[span.content : span.stop]) if _is_closed(page, span, opening[0]) else None
        if whole is None or not _is_formula(page, span, whole, single):
            continue
        formula = page[span.start : span.content] + whole + page[span.stop : span.end]
        display = not formula.startswith((b"\\(", b"$")) or formula.startswith(b"$$")
        alone = needs_paragraph(page, span.start, span.end, display=display)
        pieces += page[done : span.start], b"<p>" + formula + b"</p>" if alone else formula
        done = at = span.end
        formulas += 1
    return b"".join([*pieces, page[done:]]) if pieces else page, formulas


def _in_tag(page: bytes, done: int, at: int) -> bool:
    """Whether a place is in a tag, such as in an attribute's value; the page up to `done` has none open."""
    near = page[max(done, at - _NEAR) : at]
    start = near.rfind(b"<")
    return start > near.rfind(b">") and _TAG_START.match(near, start) is not None


def _after(text: _Text, opening: re.Match[bytes]) -> int:
    """Where a comment, or an element whose text is none, ends."""
    if opening["comment"]:
        return text.find(b"-->", opening.end())
    return text.find(b"</" + opening["skipped"], opening.end())


def _span(text: _Text, opening: re.Match[bytes]) -> DelimitedFormula:
    if not opening["environment"]:
        closing = _CLOSING[opening[0]]
        content = opening.end()
        stop = text.find(closing, content)
        return DelimitedFormula(opening.start(), content, stop, stop + len(closing))
    closing = b"\\end{" + opening["environment"] + b"}"
    stop = text.find(closing, opening.end())
    return DelimitedFormula(opening.start(), opening.start(), stop + len(closing), stop + len(closing))


def _is_closed(page: bytes, span: DelimitedFormula, opening: bytes) -> bool:
    """Whether a span ends, before it is too long and before another opens."""
    short = span.stop - span.content <= MAX_CHARACTERS and span.end <= len(page)
    return short and page.find(opening, span.start + len(opening), span.stop) < 0


def _is_formula(page: bytes, span: DelimitedFormula, whole: bytes, single: bool) -> bool:
    """Whether a closed span is a formula: between single dollar signs by set-up or content, and not two prices."""
    if not whole.strip():
        return False
    if page[span.start : span.content] != b"$":
        return True
    closed = not whole[-1:].isspace() and not page[span.end : span.end + 1].isdigit()
    return closed and (single or _PLAINLY_TEX.search(whole) is not None)


def _whole(content: bytes) -> bytes | None:
    """A formula's content as one run of text in one line; None if it holds other markup."""
    if b"<" in content:
        content = _INSIDE.sub(_as_text, content)
        if _TAG.search(content):
            return None
    if not _BREAKS.search(content):
        return content
    return as_markup(one_line(unescaped(content.decode("utf-8", "replace"))))


def _as_text(tag: re.Match[bytes]) -> bytes:
    return b"_" if tag[2].lower() in (b"em", b"i") else b" "

"""Puts TeX in the place of the elements that hold formulas.

These are `<math>`, scripts of MathJax, what KaTeX and MathJax made of formulas in a page saved from a browser, and
pictures. A formula that a page states twice (MathML and a picture, or MathML and the boxes of KaTeX) is kept once.

Sources: the documentation of MathJax 2.7, 3 and 4, "MathJax TeX and LaTeX Support" and "The MathJax Processing Model";
of KaTeX 0.16, "Options" (`output`); of MediaWiki's extension Math; and Paster et al. 2023, "OpenWebMath"
(arXiv:2310.06786), section 3.2, for the forms that occur on the web.
"""

import re
from typing import NamedTuple

from curation.extract.declared import attributes
from curation.extract.formulas.marks import BOX, CLOSES, END, IMG, MATH, NAME, PARTNER, SCRIPTS, START, tags
from curation.extract.formulas.mathml import converted, tex_of
from curation.extract.formulas.pictures import tex_of_picture
from curation.extract.formulas.tex import as_markup, needs_paragraph, one_line, written

MAX_CONVERTED = 1 << 20  # bytes of a page's MathML that are written as TeX

_BOXES = re.compile(rb"katex|mathjax|mjx|mwe-math", re.IGNORECASE)
_SHOWN = re.compile(rb"tex|math", re.IGNORECASE)  # in the tag of every picture of a formula
_MADE = re.compile(r"MathJax(?:_(?:Preview|Display|SVG|SVG_Display|CHTML|MathML))?")
_WRAPPERS = frozenset(("katex", "katex-display", "mwe-math-element"))  # of KaTeX and of MediaWiki
_CDATA = re.compile(r"^\s*(?:%\s*)?<!\[CDATA\[|(?:%\s*)?\]\]>\s*$")
_TAG = re.compile(rb"<[^<>]*>")
_NEAR = 1_000  # bytes between MathML and the picture of the same formula


class FormulaReplacement(NamedTuple):
    """The bytes start:end of a page and what stands for them; None if they are dropped because another place has the
    formula."""

    start: int
    end: int
    text: str | None


class Elements:
    """The elements of one page that hold formulas, from the first to the last."""

    def __init__(self, page: bytes) -> None:
        self._page = page
        self._rows: list[list[int]] = tags(page).tolist()
        self._left = MAX_CONVERTED

    def found(self) -> list[FormulaReplacement]:
        found: list[FormulaReplacement] = []
        end = 0
        for row, (start, tag_end, name, closes, partner) in enumerate(self._rows):
            if closes or start < end:
                continue
            tag = self._page[start:tag_end]
            element = None
            if name == IMG:
                tex = tex_of_picture(tag) if _SHOWN.search(tag) else None
                element = self._written(start, tag_end, tex, display=False)
            elif partner >= 0 and name in MATH:
                element = self._math(row)
            elif partner >= 0 and name == SCRIPTS:
                element = self._script(row, attributes(tag).get("type", "").lower())
            elif partner >= 0 and name in BOX and _BOXES.search(tag):
                element = self._box(row, tag)
            if element:
                found.append(element)
                end = element.end
        return found

    def _written(self, start: int, end: int, tex: str | None, *, display: bool) -> FormulaReplacement | None:
        text = written(tex, display=display) if tex else None
        return FormulaReplacement(start, end, text) if text else None

    def _ends(self, row: int) -> tuple[int, int, int]:
        """Where an element starts, where its start tag ends, and where it ends."""
        return self._rows[row][START], self._rows[row][END], self._rows[self._rows[row][PARTNER]][END]

    def _math(self, row: int, *, once: bool = False) -> FormulaReplacement | None:
        """The formula of a `<math>` element; unless it stands `once`, a picture after it may state it again."""
        start, tag_end, end = self._ends(row)
        element = self._page[start:end]
        tex, display = tex_of(element, self._page[start:tag_end])
        if tex and not once and self._pictured(row, tex):
            return FormulaReplacement(start, end, None)
        if tex is None and end - start <= self._left:
            self._left -= end - start
            tex = converted(element)
        return self._written(start, end, tex, display=display)

    def _pictured(self, row: int, tex: str) -> bool:
        """Whether the picture of the same formula follows at once, as in MediaWiki, which hides the MathML."""
        after = self._rows[row][PARTNER] + 1
        while after < len(self._rows) and self._rows[after][NAME] != IMG and self._rows[after][CLOSES]:
            after += 1
        if after == len(self._rows) or self._rows[after][NAME] != IMG:
            return False
        start = self._rows[after][START]
        end = self._rows[after][END]
        between = self._page[self._ends(row)[2] : start]
        if len(between) > _NEAR or _TAG.sub(b"", between).strip():
            return False
        other = tex_of_picture(self._page[start:end])
        return other is not None and one_line(other) == one_line(tex)

    def _script(self, row: int, kind: str) -> FormulaReplacement | None:
        if not kind.startswith("math/tex"):
            return None
        start, tag_end, end = self._ends(row)
        content = self._page[tag_end : self._rows[self._rows[row][PARTNER]][START]].decode("utf-8", "replace")
        tex = _CDATA.sub("", _CDATA.sub("", content))
        return self._written(start, end, tex, display="mode=display" in kind.replace(" ", ""))

    def _box(self, row: int, tag: bytes) -> FormulaReplacement | None:
        """KaTeX's or MathJax's rendering: dropped beside MathJax's script, otherwise the formula that it holds."""
        classes = attributes(tag).get("class", "").split()
        start, _, end = self._ends(row)
        container = self._rows[row][NAME] == BOX[-1]
        if not container and not _WRAPPERS.intersection(classes):
            made = any(_MADE.fullmatch(name) for name in classes) and b"math/tex" in self._page
            return FormulaReplacement(start, end, None) if made and not self._holds(row, SCRIPTS) else None
        inner = self._holds(row, *MATH)
        if not inner:
            return None
        element = self._math(inner, once=True)
        display = "katex-display" in classes or attributes(tag).get("display") == "true"
        if element is None or not element.text:
            return None
        text = element.text if element.text.startswith("$$") or not display else f"${element.text}$"
        return FormulaReplacement(start, end, text)

    def _holds(self, row: int, *names: int) -> int:
        """The row of the first such element inside an element; 0 if there is none."""
        for inner in range(row + 1, self._rows[row][PARTNER]):
            if self._rows[inner][NAME] in names and not self._rows[inner][CLOSES] and self._rows[inner][PARTNER] >= 0:
                return inner
        return 0


def with_tex(page: bytes) -> tuple[bytes, int]:
    """The page with TeX in the place of the elements that hold formulas, and how many it has."""
    found = Elements(page).found()
    pieces: list[bytes] = []
    # dropped: where the dropped elements start that end at `done`
    done = 0
    dropped = -1
    for element in found:
        between = page[done : element.start]
        begins = dropped if dropped >= 0 and not between.strip() else element.start
        dropped = begins if element.text is None else -1
        pieces += between, _markup(page, begins, element)
        done = element.end
    return b"".join([*pieces, page[done:]]), sum(element.text is not None for element in found)


def _markup(page: bytes, begins: int, found: FormulaReplacement) -> bytes:
    """What is written for an element, behind the markup page[:begins]."""
    if found.text is None:
        return b""
    text = as_markup(found.text)
    display = found.text.startswith("$$")
    division = page[found.start : found.start + 4].lower() == b"<div"
    if division or needs_paragraph(page, begins, found.end, display=display):
        return b"<p>" + text + b"</p>"
    if not display:
        return text
    return b" " * page[begins - 1 : begins].isalnum() + text + b" " * page[found.end : found.end + 1].isalnum()

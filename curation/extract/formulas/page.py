"""Formulas kept as TeX, whatever the parser: a pass over a page's markup before any parser reads it.

Parsers drop `<math>`, scripts and pictures, or keep bits of them ("often represented by , , ,"). This pass puts
`$…$` or, for a displayed formula, `$$…$$` in their place, in one line and with nothing escaped; formulas between
delimiters in the text stay as they are, in one piece. What is unbalanced, empty or longer than MAX_CHARACTERS is left
as the page has it.
"""

from curation.extract.formulas.delimiters import kept_whole
from curation.extract.formulas.elements import with_tex
from curation.extract.formulas.marks import LOADER, marks


def with_formulas(page: bytes) -> tuple[bytes, int]:
    """A page in UTF-8 with its formulas as TeX in the text, and how many it has."""
    kinds = marks(page)
    if not kinds:
        return page, 0
    page, delimited = kept_whole(page) if kinds & LOADER else (page, 0)
    page, elements = with_tex(page) if kinds != LOADER else (page, 0)
    return page, delimited + elements

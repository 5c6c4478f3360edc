"""Blocks of code in an article: `preformat`, and `code` of several lines; that of one line belongs to its sentence.

They are found once for an article, because few have any and every block of text has to know.
"""

from typing import Any, TypeAlias

from curation.core.wording import fence

Element: TypeAlias = Any  # of lxml

CODE = "winnow-code"  # the attribute that `mark_code` sets: BLOCK or WITHIN
BLOCK = "block"
WITHIN = "within"


def mark_code(article: Element) -> None:
    """Set the attribute CODE of each block of code, and of the elements around it."""
    for element in article.iter("{*}code", "{*}preformat"):
        if not element.tag.endswith("preformat") and "\n" not in "".join(element.itertext()).strip():
            continue
        element.set(CODE, BLOCK)
        around = element.getparent()
        while around is not None and around.get(CODE) is None:
            around.set(CODE, WITHIN)
            around = around.getparent()


def fenced(element: Element) -> str:
    """A block of code as it is, between fences; "" where it is blank."""
    code = "".join(element.itertext()).strip("\n").rstrip()
    around = fence(code)
    return f"{around}\n{code}\n{around}" if code.strip() else ""

"""Takes the main text of pages with Resiliparse: fast, keeps nearly all of the text and some of what surrounds it.

Version 2.0.1 of the library drops short runs of text from the main content ("≠", "的") and lists near the body;
`guard.py` and `prepare/near_body.py` undo that.

Source: Bevendorff et al. 2018, "Elastic ChatNoir" (ECIR); the library's main-content rules are its own.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from curation.extract.guard import guarded
from curation.extract.marks import without_marks
from curation.extract.pages import LIBRARIES, PageParser, PageRow
from curation.extract.prepare.edits import PageRule
from curation.extract.prepare.page import MAIN_CONTENT, RESILIPARSE, prepared


@dataclass(frozen=True, kw_only=True)
class Resiliparse(PageParser):
    """What counts as text; by default only the main content."""

    main_content: Annotated[bool, "false: all visible text"] = True
    alt_texts: Annotated[bool, "of pictures"] = False
    links: Annotated[bool, "targets, in parentheses"] = False
    list_bullets: Annotated[bool, '"- " or its number before each item of a list'] = True
    form_fields: Annotated[bool, "the text of buttons and input fields"] = False
    comments: Annotated[bool, "sections of reader comments"] = False

    parser: ClassVar[str] = "curation.extract.sandbox.parsers:resiliparse"
    rules: ClassVar[tuple[PageRule, ...]] = RESILIPARSE
    version: ClassVar[int] = 5  # raised when the same library gives another text or verdict for a page
    libraries: ClassVar[tuple[str, ...]] = LIBRARIES

    def make_ready(self, row: PageRow) -> None:
        """As in PageParser, and with `main_content` against what the library then drops: lists and short runs."""
        markup, row.stand_ins = without_marks(row.markup or b"")
        if self.main_content:
            row.markup = guarded(prepared(markup, MAIN_CONTENT))
        else:
            row.markup = prepared(markup, self.rules)

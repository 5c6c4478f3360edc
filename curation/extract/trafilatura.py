"""Takes the main text of pages with Trafilatura: eight times slower than Resiliparse, and more precise.

Source: Barbaresi 2021, "Trafilatura: A Web Scraping Library and Command-Line Tool for Text Discovery and Extraction"
(ACL-IJCNLP demonstrations).
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from curation.core.errors import RecipeError
from curation.extract.marks import Protect, without_unprintable
from curation.extract.pages import LIBRARIES, PageParser
from curation.extract.prepare.edits import PageRule
from curation.extract.prepare.page import TRAFILATURA


@dataclass(frozen=True, kw_only=True)
class Trafilatura(PageParser):
    """What counts as text. The library's own deduplication is off, because it remembers earlier pages."""

    fast: Annotated[bool, "skip the comparison with two other extractors: a third less time"] = False
    min_fast_characters: Annotated[int, "a shorter fast text is extracted again, with the comparison"] = 0
    focus: Annotated[Literal["balanced", "precision", "recall"], "precision: less boilerplate; recall: more text"] = (
        "balanced"
    )
    comments: Annotated[bool, "by readers"] = False
    tables: Annotated[bool, "the text of tables too"] = True
    links: Annotated[bool, "targets; the text is then Markdown as the library writes it"] = False
    formatting: Annotated[bool, "headings and emphasis; Markdown too"] = False

    parser: ClassVar[str] = "curation.extract.sandbox.parsers:trafilatura"
    rules: ClassVar[tuple[PageRule, ...]] = TRAFILATURA
    protect: ClassVar[Protect] = without_unprintable
    version: ClassVar[int] = 5  # raised when the same libraries give another text or verdict for a page
    libraries: ClassVar[tuple[str, ...]] = ("trafilatura", "justext", "lxml", *LIBRARIES)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min_fast_characters < 0:
            raise RecipeError(f"min_fast_characters is {self.min_fast_characters}; it must be 0 or more")
        if self.min_fast_characters and not self.fast:
            raise RecipeError("min_fast_characters applies to fast texts only: set fast as well, or leave it out")

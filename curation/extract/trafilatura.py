"""Takes the main text of pages with Trafilatura: slower than Resiliparse by eight times, and more precise.

Source: Barbaresi 2021, "Trafilatura: A Web Scraping Library and Command-Line Tool for Text Discovery and Extraction"
(ACL-IJCNLP demonstrations).
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from curation.core.errors import RecipeError
from curation.extract.pages import PageParser


@dataclass(frozen=True, kw_only=True)
class Trafilatura(PageParser):
    """What of a page is text. The library's own deduplication is left out: it remembers earlier pages."""

    fast: bool = False  # true: without the comparison with two other extractors, a third faster
    min_fast_characters: int = 0  # of a fast text: a shorter one is taken again, with the comparison
    focus: Literal["balanced", "precision", "recall"] = "balanced"
    comments: bool = False  # of readers
    tables: bool = True
    links: bool = False  # targets, as Markdown
    formatting: bool = False  # headings and emphasis, as Markdown

    version: ClassVar[int] = 3  # raised when the same page gives another text or verdict, by the same libraries
    libraries: ClassVar[tuple[str, ...]] = ("trafilatura", "justext", "lxml", "resiliparse")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min_fast_characters < 0:
            raise RecipeError(f"min_fast_characters is {self.min_fast_characters}; it must be 0 or more")
        if self.min_fast_characters and not self.fast:
            raise RecipeError("min_fast_characters is of fast texts only: set fast as well, or leave it out")

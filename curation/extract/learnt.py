"""Takes the main text of pages as a fit has learnt it from a careful extractor, at the speed of a scanner.

    - read: {warc: {paths: [crawl/*.warc.gz]}}
    - fit: {extractor: {teacher: {trafilatura: {}}}}
    - extract: {learnt: {model: "@extractor"}}

One pass over the bytes finds blocks of text, two stages of trees judge each by its shape and its place in the page, and
the set with the highest expected F1 is the text. All of it runs in this process: it is compiled, linear in the page's
bytes, and bounded by the counted limits. Where it finds next to nothing, the page's visible prose takes its place.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from curation.core.errors import RecipeError
from curation.extract.blocks.headings import headings
from curation.extract.blocks.page import Page
from curation.extract.blocks.render import render
from curation.extract.blocks.scanner import scan
from curation.extract.blocks.side import aside
from curation.extract.headline import headed, title_among
from curation.extract.marks import without_marks
from curation.extract.markup import MarkupCounts
from curation.extract.normal_form import numbered
from curation.extract.pages import PageExtractor, PageRow, settle
from curation.extract.prepare.page import SCANNED, prepared
from curation.extract.prepare.page_tags import elements
from curation.extract.prose import MOST, READING, next_to_nothing, prose
from curation.extract.student.student import Student, kept
from curation.extract.student.student_file import load, read

_PREPARED = elements("sup rt rp rtc")


@dataclass(frozen=True, kw_only=True)
class Learnt(PageExtractor):
    """The fitted model, and the limits of pages."""

    model: Annotated[str, "result of `fit: {extractor: …}`: its path, or @ and the name of the fit stage"]

    fitted_by: ClassVar[Mapping[str, str]] = {"model": "extractor"}
    version: ClassVar[int] = 3
    libraries: ClassVar[tuple[str, ...]] = ("mathml-to-latex",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.model:
            raise RecipeError("model names no file: give a path, or @ and the name of a fit stage")

    def assets(self) -> Mapping[str, str]:
        """The model. Raises InputError if it is missing or of another version."""
        read(self.model)
        return {"model": self.model}

    @property
    def parser_name(self) -> str:
        return "learnt"

    def counts(self, row: PageRow) -> MarkupCounts:
        """As in PageExtractor; the row keeps the scan."""
        row.page = self.scan(row.markup or b"")
        return row.page.counts

    def make_ready(self, row: PageRow) -> None:
        """As in PageExtractor; most pages have nothing that the scanner does not read as a browser does."""
        assert row.page is not None
        assert row.markup is not None
        if row.signals.get("formulas"):
            row.page = self.scan(row.markup)
        if row.page.hints or _PREPARED[row.page.nodes.tag].any():
            markup, row.stand_ins = without_marks(row.markup)
            row.markup = prepared(markup, SCANNED)
            row.page = self.scan(row.markup)

    def scan(self, markup: bytes) -> Page:
        """The page's elements and blocks, up to a limit that it passes."""
        return scan(markup, max_nodes=self.max_nodes, max_depth=self.max_depth, max_attributes=self.max_attributes)

    def find_texts(self, rows: Sequence[PageRow], on_caught: Callable[[PageRow, str], None]) -> None:
        """As in PageExtractor; nothing is ever caught."""
        student = load(self.model)
        for row in rows:
            assert row.page is not None
            text, reading = text_of(row.page, student)
            title = title_among(headings(row.page), str(row.signals["title"] or ""))
            settle(row, numbered(headed(text, title)).encode(), reading=reading)


def text_of(page: Page, student: Student) -> tuple[str, str | None]:
    """A page's text, and what was read instead where the student found next to nothing."""
    text = render(page, kept(page, student.judge(page))).decode()
    if next_to_nothing(text) and (visible := visible_prose(page)):
        return visible, READING
    return text, None


def visible_prose(page: Page) -> str:
    """The prose in all blocks; without those of side matters, if most of it is left then."""
    every = np.ones(len(page.blocks), np.bool_)
    whole = prose(render(page, every).decode())
    rest = prose(render(page, ~aside(page)).decode()) if whole else ""
    return rest if len(rest) >= MOST * len(whole) else whole

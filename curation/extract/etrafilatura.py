"""Takes the main text of pages with Etrafilatura, Trafilatura's rules compiled: nearly twice as fast.

Pages per CPU second on data/web (2026-11, one run): 44, Trafilatura 25; both `fast`: 70 and 37.

Needs Python 3.12 or newer and winnow's extra `etrafilatura`. The package (EDamLabs, MIT) wraps the Rust crate
`trafilatura` 0.5.0 (nchapman, Apache-2.0), a port of go-trafilatura. It has had one release so far, so the extra pins
that version. As with every parser, the version is part of the stage's address: an upgrade makes the stage anew.

Source: Barbaresi 2021, "Trafilatura: A Web Scraping Library and Command-Line Tool for Text Discovery and Extraction"
(ACL-IJCNLP demonstrations), for the rules; https://github.com/edamlabs/etrafilatura and
https://github.com/nchapman/trafilatura-rs for the code.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from curation.extract.marks import Protect, without_unprintable
from curation.extract.pages import LIBRARIES, PageParser
from curation.extract.prepare.edits import PageRule
from curation.extract.prepare.page import TRAFILATURA


@dataclass(frozen=True, kw_only=True)
class Etrafilatura(PageParser):
    """What counts as text. The library's own deduplication is off, because it remembers earlier pages."""

    fast: Annotated[bool, "skip the comparison with two other extractors: 1.6 times as fast, less accurate"] = False
    focus: Annotated[Literal["balanced", "precision", "recall"], "precision: less boilerplate; recall: more text"] = (
        "balanced"
    )
    comments: Annotated[bool, "by readers"] = False
    tables: Annotated[bool, "the text of tables too"] = True
    links: Annotated[bool, "targets; the text is then Markdown as the library writes it"] = False
    formatting: Annotated[bool, "headings and emphasis; Markdown too"] = False

    parser: ClassVar[str] = "curation.extract.sandbox.parsers:etrafilatura"
    rules: ClassVar[tuple[PageRule, ...]] = TRAFILATURA
    protect: ClassVar[Protect] = without_unprintable
    version: ClassVar[int] = 4  # raised when the same library gives another text or verdict for a page
    libraries: ClassVar[tuple[str, ...]] = ("etrafilatura", "lxml", *LIBRARIES)

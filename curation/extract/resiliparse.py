"""Takes the main text of pages with Resiliparse: fast, keeps nearly all of the text and some of what surrounds it.

Source: Bevendorff et al. 2018, "Elastic ChatNoir" (ECIR); the library's main-content rules are its own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from curation.extract.limits import Limits
from curation.extract.pages import SIGNALS, extract_pages


@dataclass(frozen=True, kw_only=True)
class Resiliparse(Limits):
    """What of a page is text; everything off but the main content."""

    main_content: bool = True  # false: all visible text
    alt_texts: bool = False  # of pictures
    links: bool = False  # targets, in parentheses
    list_bullets: bool = True
    form_fields: bool = False
    comments: bool = False  # sections of reader comments as main content

    version: ClassVar[int] = 3  # raised when the same page gives another text or verdict, by the same library
    libraries: ClassVar[tuple[str, ...]] = ("resiliparse",)
    signals: ClassVar[pa.StructType] = SIGNALS

    def extract(
        self, pages: pa.RecordBatch, caught: Mapping[str, str], on_caught: Callable[[str, str], None]
    ) -> pa.RecordBatch:
        """As `curation.core.protocols.Extractor` states."""
        return extract_pages(pages, self, "curation.extract.sandbox.parsers:resiliparse", caught, on_caught)

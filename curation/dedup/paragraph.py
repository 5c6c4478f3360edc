"""Paragraph dedup: paragraphs that occur in several documents are cut from all but the best of them.

    - dedup: {paragraph: {}}
    - rewrite: {cut_spans: {of: [paragraph]}}
    - filter: {text_left: {}}

Source: Wenzek et al. 2020, "CCNet: Extracting High Quality Monolingual Datasets from Web Crawl Data"
(arXiv:1911.00359), and Soldaini et al. 2024, "Dolma" (arXiv:2402.00159), which cut every paragraph seen before. Their
paragraphs are lines of text: for these use `line`.
Choices of ours: a paragraph is a run of lines without a blank line between them, without the whitespace around it;
paragraphs are equal when they differ only in case, whitespace, including line breaks, and what cannot be seen; a line
of which nothing can be seen is blank. Paragraphs of less than 30 characters, FineWeb's limit for short lines, are
ignored: a heading ("Introduction") occurs in many texts without being copied. Set `min_characters: 1` to count them
all.
A span is the paragraph itself; `cut_spans` turns the blank lines around it into one gap. Blank lines have no key, and
so an empty document has none.
"""

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from curation.dedup.repeated_spans import Units
from curation.text.spans import TextSpans, paragraph_spans


@dataclass(frozen=True, kw_only=True)
class Paragraph(Units):
    """One key per paragraph."""

    version: ClassVar[int] = 2

    def units(self, text: pa.Array) -> TextSpans:
        return paragraph_spans(text)

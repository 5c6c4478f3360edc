"""Line dedup: lines that occur in several documents are cut from all but the best of them.

    - dedup: {line: {min_copies: 7}}
    - rewrite: {cut_spans: {of: [line]}}
    - filter: {text_left: {}}

    - dedup: {line: {by: domain, min_copies: 5}}    # lines of the template that pages of a site share

Source: Grattafiori et al. 2024, "The Llama 3 Herd of Models" (arXiv:2407.21783), section 3.1.1, which cuts lines that
appeared more than 6 times in 30 million documents: `min_copies: 7` if the stage reads about as many.
Choices the paper leaves open: a line ends at a line feed and is taken without the whitespace around it; lines are equal
when they differ only in case, whitespace and what cannot be seen; copies are documents, however often each has the
line. Lines of less than 30 characters, which FineWeb's rules call short, are ignored: "Home" or "Thank you." occurs in
prose without being copied. Set `min_characters: 1` to count them all.
A span is the line itself; `cut_spans` cuts its line break too. Blank lines, of which nothing can be seen, have no key,
and so an empty document has none.
"""

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from curation.dedup.repeated_spans import Units
from curation.text.spans import TextSpans, line_spans


@dataclass(frozen=True, kw_only=True)
class Line(Units):
    """One key per line. The paper's limit depends on how much a stage reads, so the default cuts any copy."""

    version: ClassVar[int] = 2

    def units(self, text: pa.Array) -> TextSpans:
        return line_spans(text)

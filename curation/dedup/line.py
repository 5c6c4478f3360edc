"""Line dedup: lines that stand in several documents are cut from all but the best of them.

    - dedup: {line: {min_copies: 7}}
    - rewrite: {cut_spans: {of: [line]}}
    - filter: {text_left: {}}

Source: Grattafiori et al. 2024, "The Llama 3 Herd of Models" (arXiv:2407.21783), section 3.1.1, which cuts lines that
appeared more than 6 times in 30 million documents; that is `min_copies: 7` where the stage sees about as many.
Choices the paper leaves open: a line ends at a line feed and is taken without the whitespace around it; lines are
equal when they are the same but for case and whitespace; copies are documents, however often each has the line. A line
of less than 30 characters, which FineWeb's rules call short, is not counted: "Home" or "Thank you." stands in prose
without being copied. Set `min_characters: 1` to count them all.
The span of a line is the line itself; the line break goes with it in `cut_spans`. A blank line has no key, and so an
empty document has none.
"""

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from curation.dedup.repeated_spans import Units
from curation.text.spans import Spans, line_spans


@dataclass(frozen=True, kw_only=True)
class Line(Units):
    """One key per line; the paper's limit depends on how much one stage sees, so the default is to cut any copy."""

    version: ClassVar[int] = 1

    def units(self, text: pa.Array) -> Spans:
        return line_spans(text)

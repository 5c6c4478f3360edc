"""Takes the text of PDF files, in reading order, with PDFium in a child process.

    - read: {pdf: {paths: [papers/]}}                     # or warc: {media: pdf, …}
    - extract: {pdfium: {}}

Columns are read one after the other, lines become paragraphs, words are joined over line ends, and what repeats at the
edges of three pages or more, as heads, feet and page numbers do, is cut and counted (`pdf/`). A page whose fonts have
no map to Unicode, so that its text is the codes of glyphs, is dropped and counted. A file of which nothing can be read
has a reason: `extract:encrypted` (by a password), `no_text` (its pages are pictures), `no_unicode`, `not_pdf`,
`damaged`, `too_many_pages`, `too_many_bytes`, or what the net caught: `timeout`, `memory`, `crash`. Where the record
states no date, that of the file's creation becomes `crawled_at`.

Needs pypdfium2 (extra `pdf`).
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.component import Signals, struct_type
from curation.core.errors import RecipeError
from curation.core.protocols import Extractor
from curation.core.reasons import extract_reason
from curation.extract.pages import PARSER, documents
from curation.extract.sandbox.launch import Parsing, check_limits
from curation.extract.sandbox.parent import PageOutcome, parse_pages


@dataclass(frozen=True, kw_only=True)
class Pdfium(Extractor):
    """Limits of files."""

    max_pages: Annotated[int, "of a file; one with more has no text"] = 5_000
    timeout_seconds: Annotated[float, "wall clock, per file"] = 120.0
    memory_mb: Annotated[int, "MiB of address space of the parsing process, interpreter and library included"] = 2_048

    version: ClassVar[int] = 2
    media = "pdf"
    libraries: ClassVar[tuple[str, ...]] = ("pypdfium2",)

    def __post_init__(self) -> None:
        if self.max_pages < 1:
            raise RecipeError(f"max_pages is {self.max_pages}; give 1 or more")
        check_limits(self.timeout_seconds, self.memory_mb)

    def signal_types(self) -> Signals:
        """What is counted, and what a file says of itself."""
        counts = ("pages", "pages_without_text", "pages_damaged", "pages_no_unicode", "lines_cut")
        texts = ("title", "producer", "preferences", PARSER)  # preferences: of the header it came with
        return {**dict.fromkeys(counts, pa.int64()), **dict.fromkeys(texts, pa.string())}

    def extract(
        self, pages: pa.RecordBatch, caught: Mapping[str, str], on_caught: Callable[[str, str], None]
    ) -> pa.RecordBatch:
        """As in `curation.core.protocols.Extractor`."""
        ids, reasons = (pages.column(name).to_pylist() for name in ("doc_id", "drop_reason"))
        contents = [content.as_py() for content in pages.column("content")]
        tried = [at for at, content in enumerate(contents) if content and not reasons[at] and ids[at] not in caught]
        outcomes = parse_pages(
            self._parsing(), [contents[at] for at in tried], lambda place, cause: on_caught(ids[tried[place]], cause)
        )
        rows: list[dict[str, Any]] = [{"cause": caught.get(doc_id, "empty")} for doc_id in ids]
        for at, outcome in zip(tried, outcomes, strict=True):
            rows[at] = _row(outcome)
        reasons = [
            reason or (row.get("cause") and extract_reason(row["cause"]))
            for reason, row in zip(reasons, rows, strict=True)
        ]
        facts = [
            {PARSER: "pdfium", "preferences": header, **row["facts"]} if row.get("facts") else None
            for row, header in zip(rows, pages.column("preferences").to_pylist(), strict=True)
        ]
        dates = pa.array([(fact or {}).get("created") for fact in facts], pa.int64()).cast(pa.timestamp("ms", "UTC"))
        return documents(
            pages,
            self.schema(),
            text=pa.array([row.get("text") for row in rows], pa.large_string()),
            drop_reason=pa.array(reasons, pa.string()),
            crawled_at=pc.coalesce(pages.column("crawled_at"), dates),
            extract=pa.array(facts, struct_type(self.signal_types())),
        )

    def _parsing(self) -> Parsing:
        options = json.dumps({"max_pages": self.max_pages})
        parser = "curation.extract.pdf.pdf_file:pdfium"
        return Parsing(parser, options, self.timeout_seconds, self.memory_mb, markup=False)


def _row(outcome: PageOutcome) -> dict[str, Any]:
    if outcome.cause:
        return {"cause": outcome.cause}
    row: dict[str, Any] = json.loads(outcome.text)
    return row

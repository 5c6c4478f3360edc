"""Turns raw pages into documents: limits, encoding and declarations here, the main text in the child process.

Counted limits decide about a page before any parser sees it. A page that the net caught in an earlier attempt is
dropped untried, so that a second run gives the same rows.
"""

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.component import Signals
from curation.core.document import MAX_DOCUMENT_BYTES
from curation.core.errors import RecipeError
from curation.core.protocols import Extractor
from curation.core.reasons import extract_reason
from curation.extract.blocks.page import Page
from curation.extract.charset import decode
from curation.extract.declared import declared
from curation.extract.formulas.page import with_formulas
from curation.extract.marks import Protect, StandIns, without_marks
from curation.extract.markup import MarkupCounts, count
from curation.extract.prepare.edits import PageRule
from curation.extract.prepare.page import PARSED, prepared
from curation.extract.sandbox.launch import Parsing, check_limits
from curation.extract.sandbox.parent import parse_pages

PARSER = "parser"
# Of every parser: the reading in its place is Resiliparse's, and formulas in MathML become TeX.
LIBRARIES = ("resiliparse", "mathml-to-latex")
FELL_BACK = "+"  # if the parser found next to nothing: between its name and that of the reading in its place

SIGNALS = pa.struct(
    [
        ("html_bytes", pa.int64()),  # as read
        ("charset", pa.string()),  # Python codec name
        ("charset_source", pa.string()),  # bom, header, meta or bytes
        ("replaced", pa.int64()),  # U+FFFD that stand for what could not be decoded
        ("nodes", pa.int64()),  # counted up to the limit that was passed, like the next five
        ("depth", pa.int64()),
        ("attributes", pa.int64()),  # of the fullest tag
        ("fields", pa.int64()),  # <input>, <select> and <textarea>
        ("labels", pa.int64()),
        ("links", pa.int64()),
        ("formulas", pa.int64()),  # kept as TeX; null if `math` is drop
        ("title", pa.string()),
        ("preferences", pa.string()),  # what header and metadata say about the use of the text, as written
        (PARSER, pa.string()),  # with FELL_BACK and a reading if that took its place; null if nothing was parsed
    ]
)


@dataclass
class PageRow:
    """A row in progress: `markup` is UTF-8 for the parser, None once the row is decided. No `signals` are null."""

    signals: dict[str, int | str | None] = field(default_factory=dict)
    markup: bytes | None = None
    reason: str | None = None
    text: str | None = None
    language: str | None = None
    licence: str | None = None
    page: Page | None = None  # of an extractor that scans
    stand_ins: StandIns = field(default_factory=dict)  # characters that `markup` has in the place of others


@dataclass(frozen=True, kw_only=True)
class PageExtractor(Extractor):
    """An extractor of pages whose `find_texts` sees what passes these limits.

    A page past a counted limit is never parsed, and the verdict is the same on every machine. The defaults are far
    above the largest of 2,033 real pages: 35,704 nodes, 41 deep, 64 attributes in a tag, 1.4 MB (the public pages of
    data/web, measured 2026-11).
    """

    math: Annotated[
        Literal["keep", "drop"], "keep: formulas as TeX, $…$ or displayed $$…$$; drop: what the parser reads"
    ] = "keep"
    max_bytes: Annotated[int, "of the page as read; text longer than MAX_DOCUMENT_BYTES is dropped too"] = 10 << 20
    max_nodes: Annotated[int, "elements, attributes, comments and runs of text"] = 400_000
    max_depth: Annotated[
        int, "elements open at once, html and body included; of <p>, <li>, <td> … only the innermost"
    ] = 256
    max_attributes: Annotated[int, "in one tag; parsers compare each with all before it"] = 2_000

    def __post_init__(self) -> None:
        for name in ("max_bytes", "max_nodes", "max_depth", "max_attributes"):
            if not getattr(self, name) > 0:
                raise RecipeError(f"{name} is {getattr(self, name)}; it must be above 0")

    def signal_types(self) -> Signals:
        """What is counted and declared of every page."""
        return {field.name: field.type for field in SIGNALS}

    def extract(
        self, pages: pa.RecordBatch, caught: Mapping[str, str], on_caught: Callable[[str, str], None]
    ) -> pa.RecordBatch:
        """As in `curation.core.protocols.Extractor`."""
        ids = pages.column("doc_id").to_pylist()
        columns = (pages.column(name).to_pylist() for name in ("content_type", "drop_reason"))
        rows = [
            PageRow(reason=reason) if reason else self.prepare(content.as_py() or b"", content_type)
            for content, content_type, reason in zip(pages.column("content"), *columns, strict=True)
        ]
        for row, doc_id in zip(rows, ids, strict=True):
            if row.markup is not None and doc_id in caught:
                drop(row, caught[doc_id])
        self.find_texts(
            [row for row in rows if row.markup is not None],
            lambda row, cause: on_caught(ids[next(at for at, one in enumerate(rows) if one is row)], cause),
        )
        return _assemble(pages, rows, self.schema())

    def prepare(self, content: bytes, content_type: str | None) -> PageRow:
        """A page with its markup in UTF-8, if it passes the limits."""
        row = PageRow(signals={"html_bytes": len(content)})
        if len(content) > self.max_bytes:
            return drop(row, "too_many_bytes")
        text, charset, source, replaced = decode(content, content_type)
        same = charset == "utf-8" and source != "bom" and not replaced
        row.markup = (content if same else text.encode("utf-8", "replace")).replace(b"\0", b"")
        counts = self.counts(row)
        title, row.language, row.licence, stated = declared(row.markup)
        row.signals.update(charset=charset, charset_source=source, replaced=replaced, title=title, preferences=stated)
        row.signals.update(counts._asdict())
        if counts.nodes > self.max_nodes:
            return drop(row, "too_many_nodes")
        if counts.depth > self.max_depth:
            return drop(row, "too_deep")
        if counts.attributes > self.max_attributes:
            return drop(row, "too_many_attributes")
        if not row.markup.strip():
            return drop(row, "empty")
        row.signals[PARSER] = self.parser_name
        if self.math == "keep":
            row.markup, row.signals["formulas"] = with_formulas(row.markup)
        self.make_ready(row)
        return row

    @property
    def parser_name(self) -> str:
        """What the signal `parser` says."""
        raise NotImplementedError

    def counts(self, row: PageRow) -> MarkupCounts:
        """What is in the row's markup, up to the limit that is passed first."""
        markup = row.markup or b""
        return count(markup, max_nodes=self.max_nodes, max_depth=self.max_depth, max_attributes=self.max_attributes)

    def make_ready(self, row: PageRow) -> None:
        """Changes the row's markup, in UTF-8, to what the parser reads."""
        raise NotImplementedError

    def find_texts(self, rows: Sequence[PageRow], on_caught: Callable[[PageRow, str], None]) -> None:
        """Settle rows that have markup, by `settle`; `on_caught` is called at once for what exceeds time or memory."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class PageParser(PageExtractor):
    """An extractor by a library, in a child process: its own fields, beyond those here, are the options of its
    `parser`. Time and memory limits are the net for what the counts let through; what it catches is recorded, so that a
    second run drops the same pages untried."""

    timeout_seconds: Annotated[float, "wall clock, per page"] = 30.0
    memory_mb: Annotated[int, "MiB of address space of the parsing process, interpreter and library included"] = 2_048

    parser: ClassVar[str]  # "module:function", as the child process imports it
    rules: ClassVar[tuple[PageRule, ...]] = PARSED  # by which its pages are prepared
    protect: ClassVar[Protect] = without_marks  # takes out what the library or our marks would spoil

    def __post_init__(self) -> None:
        super().__post_init__()
        check_limits(self.timeout_seconds, self.memory_mb)

    @property
    def parser_name(self) -> str:
        """The name of its function."""
        return self.parser.rpartition(":")[2]

    def make_ready(self, row: PageRow) -> None:
        """As in PageExtractor, by the rules of its library."""
        markup, row.stand_ins = type(self).protect(row.markup or b"")
        row.markup = prepared(markup, self.rules)

    def find_texts(self, rows: Sequence[PageRow], on_caught: Callable[[PageRow, str], None]) -> None:
        """As in PageExtractor, in the child process."""
        markup = [row.markup or b"" for row in rows]
        outcomes = parse_pages(self._parsing(), markup, lambda place, cause: on_caught(rows[place], cause))
        for row, outcome in zip(rows, outcomes, strict=True):
            settle(row, outcome.text, outcome.cause, outcome.reading)

    def _parsing(self) -> Parsing:
        shared = {option.name for option in dataclasses.fields(PageParser)}
        options = {name: value for name, value in dataclasses.asdict(self).items() if name not in shared}
        return Parsing(self.parser, json.dumps(options, sort_keys=True), self.timeout_seconds, self.memory_mb)


def drop(row: PageRow, cause: str) -> PageRow:
    """The row, without markup and with a reason."""
    row.markup = None
    row.reason = extract_reason(cause)
    return row


def settle(row: PageRow, text: bytes | None, cause: str | None = None, reading: str | None = None) -> None:
    """Gives a row its text, or the reason why there is none; `reading` is what took the parser's place, if anything."""
    if cause or not text:
        drop(row, cause or "empty")
    elif len(text) > MAX_DOCUMENT_BYTES:
        drop(row, "too_many_bytes")
    else:
        row.text = text.decode().translate(row.stand_ins) if row.stand_ins else text.decode()
        if reading:
            row.signals[PARSER] = f"{row.signals[PARSER]}{FELL_BACK}{reading}"


def _assemble(pages: pa.RecordBatch, rows: list[PageRow], schema: pa.Schema) -> pa.RecordBatch:
    """Language and licence are filled in where the record stated none; preferences of both are kept."""
    for row, header in zip(rows, pages.column("preferences").to_pylist(), strict=True):
        if header and row.signals:
            own = row.signals.get("preferences")
            row.signals["preferences"] = f"{header}\n{own}" if own else header
    stated = {"declared_language": [row.language for row in rows], "licence": [row.licence for row in rows]}
    return documents(
        pages,
        schema,
        text=pa.array([row.text for row in rows], pa.large_string()),
        drop_reason=pa.array([row.reason for row in rows], pa.string()),
        extract=pa.array([row.signals or None for row in rows], SIGNALS),
        **{name: pc.coalesce(pages.column(name), pa.array(values, pa.string())) for name, values in stated.items()},
    )


def documents(pages: pa.RecordBatch, schema: pa.Schema, **columns: pa.Array) -> pa.RecordBatch:
    """RAW[N] -> documents[N] of `schema` with these columns, the others as they came."""
    every = [columns[name] if name in columns else pages.column(name) for name in schema.names]
    return pa.RecordBatch.from_arrays(every, schema=schema)

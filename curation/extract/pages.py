"""Turns raw pages into documents: limits, encoding and declarations here, the main text in the child process.

Counted limits decide about a page before any parser sees it. A page that the net caught in an earlier attempt is
dropped untried, so that a second run gives the same rows.
"""

import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.component import Signals
from curation.core.document import DOCUMENT, MAX_DOCUMENT_BYTES
from curation.core.errors import RecipeError
from curation.core.protocols import Extractor
from curation.core.reasons import extract_reason
from curation.extract.charset import decode
from curation.extract.declared import declared
from curation.extract.formulas.page import with_formulas
from curation.extract.markup import count
from curation.extract.sandbox.launch import Parsing
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
        ("nodes", pa.int64()),  # counted up to the limit that was passed, like the next five
        ("depth", pa.int64()),
        ("attributes", pa.int64()),  # of the fullest tag
        ("fields", pa.int64()),  # <input>, <select> and <textarea>
        ("labels", pa.int64()),
        ("links", pa.int64()),
        ("formulas", pa.int64()),  # kept as TeX; null if `math` is drop
        ("title", pa.string()),
        (PARSER, pa.string()),  # with FELL_BACK and a reading if that took its place; null if nothing was parsed
    ]
)


@dataclass
class _Row:
    """A row in progress: `markup` is UTF-8 for the parser, None once the row is decided. No `signals` are null."""

    signals: dict[str, int | str | None] = field(default_factory=dict)
    markup: bytes | None = None
    reason: str | None = None
    text: str | None = None
    language: str | None = None
    licence: str | None = None


@dataclass(frozen=True, kw_only=True)
class PageParser(Extractor):
    """An extractor: its own fields, beyond those here, are the options of its `parser`.

    A page past a counted limit is never parsed, and the verdict is the same on every machine. The defaults are far
    above the largest of 2,033 real pages: 35,704 nodes, 41 deep, 64 attributes in a tag, 1.4 MB (the public pages of
    data/web, measured 2026-11). Time and memory limits are the net for what the counts let through; what it catches is
    recorded, so that a second run drops the same pages untried.
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
    timeout_seconds: Annotated[float, "wall clock, per page"] = 30.0
    memory_mb: Annotated[int, "MiB of address space of the parsing process, interpreter and library included"] = 2_048

    parser: ClassVar[str]  # "module:function", as the child process imports it

    def __post_init__(self) -> None:
        for name in ("max_bytes", "max_nodes", "max_depth", "max_attributes", "timeout_seconds"):
            if not getattr(self, name) > 0:
                raise RecipeError(f"{name} is {getattr(self, name)}; it must be above 0")
        if self.memory_mb < 256:
            raise RecipeError(f"memory_mb is {self.memory_mb}; a parsing process needs at least 256 MiB to start")

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
            _Row(reason=reason) if reason else self._prepare(content.as_py() or b"", content_type)
            for content, content_type, reason in zip(pages.column("content"), *columns, strict=True)
        ]
        for row, doc_id in zip(rows, ids, strict=True):
            if row.markup is not None and doc_id in caught:
                _drop(row, caught[doc_id])
        _parse(rows, self._parsing(), lambda index, cause: on_caught(ids[index], cause))
        return _assemble(pages, rows, self.schema())

    def _prepare(self, content: bytes, content_type: str | None) -> _Row:
        row = _Row(signals={"html_bytes": len(content)})
        if len(content) > self.max_bytes:
            return _drop(row, "too_many_bytes")
        text, charset, source = decode(content, content_type)
        same = charset == "utf-8" and source != "bom" and "\ufffd" not in text
        row.markup = (content if same else text.encode("utf-8", "replace")).replace(b"\0", b"")
        counts = count(
            row.markup, max_nodes=self.max_nodes, max_depth=self.max_depth, max_attributes=self.max_attributes
        )
        title, row.language, row.licence = declared(row.markup)
        row.signals.update(charset=charset, charset_source=source, title=title, **counts._asdict())
        if counts.nodes > self.max_nodes:
            return _drop(row, "too_many_nodes")
        if counts.depth > self.max_depth:
            return _drop(row, "too_deep")
        if counts.attributes > self.max_attributes:
            return _drop(row, "too_many_attributes")
        if not row.markup.strip():
            return _drop(row, "empty")
        row.signals[PARSER] = self.parser.rpartition(":")[2]
        if self.math == "keep":
            row.markup, row.signals["formulas"] = with_formulas(row.markup)
        row.markup = self.ready(row.markup)
        return row

    def ready(self, markup: bytes) -> bytes:
        """The markup as the parser takes it, in UTF-8."""
        return markup

    def _parsing(self) -> Parsing:
        shared = {option.name for option in dataclasses.fields(PageParser)}
        options = {name: value for name, value in dataclasses.asdict(self).items() if name not in shared}
        return Parsing(self.parser, json.dumps(options, sort_keys=True), self.timeout_seconds, self.memory_mb)


def _drop(row: _Row, cause: str) -> _Row:
    row.markup = None
    row.reason = extract_reason(cause)
    return row


def _parse(rows: list[_Row], parsing: Parsing, on_caught: Callable[[int, str], None]) -> None:
    """Fill in the text, or the reason why there is none, of every row that still has markup."""
    waiting = [index for index, row in enumerate(rows) if row.markup is not None]
    markup = [rows[index].markup or b"" for index in waiting]
    outcomes = parse_pages(parsing, markup, lambda place, cause: on_caught(waiting[place], cause))
    for index, outcome in zip(waiting, outcomes, strict=True):
        row = rows[index]
        if outcome.cause or not outcome.text:
            _drop(row, outcome.cause or "empty")
            continue
        if len(outcome.text) > MAX_DOCUMENT_BYTES:
            _drop(row, "too_many_bytes")
            continue
        row.text = outcome.text.decode()
        if outcome.reading:
            row.signals[PARSER] = f"{row.signals[PARSER]}{FELL_BACK}{outcome.reading}"


def _assemble(pages: pa.RecordBatch, rows: list[_Row], schema: pa.Schema) -> pa.RecordBatch:
    """Other columns as they came, with language and licence filled in where the record stated none."""
    columns: dict[str, pa.Array] = {name: pages.column(name) for name in DOCUMENT.names if name != "text"}
    columns["text"] = pa.array([row.text for row in rows], pa.large_string())
    columns["drop_reason"] = pa.array([row.reason for row in rows], pa.string())
    for name, values in (("declared_language", [r.language for r in rows]), ("licence", [r.licence for r in rows])):
        columns[name] = pc.coalesce(columns[name], pa.array(values, pa.string()))
    columns["extract"] = pa.array([row.signals or None for row in rows], SIGNALS)
    return pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)

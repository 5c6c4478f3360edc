"""Applies an extractor to pages in memory: `Trafilatura()("<html>…")`.

One page gives one answer, a list a list; a column of Arrow or pandas, or a table with pages as `text`, gives a table of
as many rows. A page is text or bytes, of which the extractor finds the encoding. The answers are those of a stage.
N = number of pages.
"""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.answers import Extraction
from curation.core.catalog import key_of
from curation.core.document import RAW
from curation.core.documents_given import documents_of
from curation.core.errors import UserError
from curation.core.guarded import attempt
from curation.core.option_checks import check_options
from curation.core.protocols import Extractor
from curation.core.reasons import error_reason, extract_reason

ROWS = 100  # of a batch
HTML = "text/html; charset=utf-8"  # of a page that is text, whatever the page says


def extracted(extractor: Extractor, pages: Any) -> Any:
    """An Extraction, a list of them, or a table with `text`, `reason` and a column per signal. Raises UserError for
    what holds no pages."""
    check_options(extractor)
    if isinstance(pages, bytes):
        return extracted(extractor, [pages])[0]
    if isinstance(pages, list | tuple) and any(isinstance(page, bytes) for page in pages):
        wrong = next((page for page in pages if not isinstance(page, bytes | str | None)), None)
        if wrong is not None:
            raise UserError(f"a page is of type {type(wrong).__name__}; give each as text or as bytes")
        return [_extraction(row) for row in _answers(extractor, pages, [None] * len(pages)).to_pylist()]
    documents = documents_of(pages)
    table = documents.table
    urls = table["url"].to_pylist() if "url" in table.column_names else [None] * len(table)
    return documents.given_as(_answers(extractor, table["text"].to_pylist(), urls), _extraction)


def _extraction(row: dict[str, Any]) -> Extraction:
    return Extraction(text=row["text"], reason=row["reason"], signals=row["extract"] or {})


def _answers(extractor: Extractor, pages: Sequence[str | bytes | None], urls: Sequence[str | None]) -> pa.Table:
    """text, reason and signals of each page [N]."""
    batches = [_raw(pages[at : at + ROWS], urls[at : at + ROWS], at) for at in range(0, len(pages), ROWS)]
    tables = [extractor.schema().empty_table(), *(_extracted(extractor, batch) for batch in batches)]
    documents = pa.concat_tables(tables)
    blank = pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(pc.fill_null(documents["text"], ""))), 0)
    reasons = pc.coalesce(documents["drop_reason"], pc.if_else(blank, extract_reason("empty"), None))
    texts = pc.if_else(pc.is_null(reasons), documents["text"], pa.scalar(None, pa.large_string()))
    return pa.table({"text": texts, "reason": reasons.cast(pa.string()), "extract": documents["extract"]})


def _extracted(extractor: Extractor, batch: pa.RecordBatch) -> pa.Table:
    key = key_of(type(extractor))
    results = attempt(lambda some: extractor.extract(some, {}, lambda *_: None), batch)
    return pa.Table.from_batches([_document(key, some, result, extractor.schema()) for some, result in results])


def _document(key: str, page: pa.RecordBatch, result: pa.RecordBatch | Exception, schema: pa.Schema) -> pa.RecordBatch:
    """The result itself, or, in place of an exception, a document without text and with the error as its reason."""
    if not isinstance(result, Exception):
        return result
    columns = [pa.nulls(len(page), field.type) for field in schema]
    columns[schema.get_field_index("drop_reason")] = pa.array([error_reason(key, result)] * len(page), pa.string())
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _raw(pages: Sequence[str | bytes | None], urls: Sequence[str | None], first: int) -> pa.RecordBatch:
    """RAW[N] of some pages, of which the first has this number."""
    contents = [page.encode("utf-8", "replace") if isinstance(page, str) else page for page in pages]
    given = {
        "doc_id": [f"{number:032x}" for number in range(first, first + len(pages))],
        "url": urls,
        "content": contents,
        "content_type": [HTML if isinstance(page, str) else None for page in pages],
    }
    columns = [pa.array(given.get(field.name, [None] * len(pages)), field.type) for field in RAW]
    return pa.RecordBatch.from_arrays(columns, schema=RAW)

"""Web archives: one row per HTML page (or, if so asked, PDF file) with status 200 in a WARC, ARC or WACZ file.

Files may be gzip, zstd or lz4, with a member (or frame) for each record or for many, or plain. `origin_offset` is that
of the member in the file if a record begins it, otherwise that of the record in the decompressed bytes. All other
records are counted: by type (`skipped.request`), by status (`skipped.status.404`; `missing` without an HTTP header, or
with one longer than `http.MAX_HEAD`) or by media type (`skipped.type.image/png`; `unknown` or `invalid` if none or no
valid one is stated and the body does not begin like one; rare types together, see `counted_types`).

Headers are read as browsers and warcio read them. `lenient.*` counts pages with headers that violate a standard
(`lenient.status_line`, `lenient.line_ends`, `lenient.media_type`), and such records of any type (`lenient.warc_header`,
`lenient.arc_line`, and `lenient.content_length` where a record's length was wrong and its end was found).

A page whose end is missing has the cause in the column `truncated` (`missing_ends`), and is counted by it
(`truncated.length`); the filter `truncation` drops such pages.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import pyarrow as pa

from curation.core.catalog import key_of
from curation.core.document import RAW, document_id
from curation.core.protocols import Piece, ReadTally
from curation.core.reading import converted
from curation.core.reasons import error_reason, extract_reason
from curation.core.truncation import Cause
from curation.core.watchdog import Overrun
from curation.models.preferences.statements import of_headers
from curation.sources.archive import Record
from curation.sources.counted_types import counted_record, counted_type
from curation.sources.dates import parse_date
from curation.sources.http import (
    HTML_TYPES,
    NO_TYPES,
    PDF_TYPES,
    Response,
    TooManyBytes,
    UndecodableBody,
    decode_body,
    decoded_body,
    looks_like_html,
    looks_like_pdf,
    media_type,
    parse_response,
)
from curation.sources.missing_ends import missing_end
from curation.sources.source_files import FileSource
from curation.sources.units import batched
from curation.sources.wacz import read_archive

_Wanted: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], Callable[[bytes], bool]]
# What is read: media types, those that say nothing, so that the body decides, and whether a body begins as it should.
_WANTED: Mapping[str, _Wanted] = {
    "html": (HTML_TYPES, NO_TYPES, looks_like_html),
    "pdf": (PDF_TYPES, (*NO_TYPES, "application/octet-stream"), looks_like_pdf),
}
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")


@dataclass(frozen=True, kw_only=True)
class Warc(FileSource):
    """WARC, ARC and WACZ files; each `paths` entry is a file, a folder or a glob."""

    licence: Annotated[str | None, "written to every row"] = None
    media: Annotated[Literal["html", "pdf"], "pdf: PDF files in place of pages, for `extract: {pdfium: {}}`"] = "html"
    max_record_bytes: Annotated[int, "of a record, and of a decoded body; a longer page is dropped"] = 32 << 20

    yields: ClassVar[Literal["html", "text"]] = "html"
    version: ClassVar[int] = 7

    def __post_init__(self) -> None:
        if self.max_record_bytes < 1:
            raise ValueError(f"max_record_bytes is {self.max_record_bytes}; give 1 or more")

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """RAW batches. Raises InputError if a file is missing, StageError if it cannot be read."""
        yield from map(_batch, batched(self._pages(unit, source, tally)))

    def _pages(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[tuple[dict[str, Any], int]]:
        """Rows, with the sizes of their contents."""
        for piece in unit:
            lost = partial(tally.lose, piece.path)
            records = read_archive(piece.path, tally.fault, max_block=self.max_record_bytes, on_lost=lost)
            for origin, record in records:
                file = piece.name + origin.removeprefix(piece.path)
                row = converted(partial(self._row, record, origin, file, source, tally))
                if isinstance(row, Overrun):
                    row = _named(record, origin, file, source) | {"drop_reason": error_reason(key_of(type(self)), row)}
                if row is not None:
                    yield row, len(row.get("content") or b"")

    def _row(self, record: Record, origin: str, file: str, source: str, tally: ReadTally) -> dict[str, Any] | None:
        """None, and counted, if the record is not a page. `file` is the origin under the file's name."""
        response = parse_response(record.block) if record.kind == "response" else None
        skipped = _not_a_page(record, response, _WANTED[self.media], self.max_record_bytes)
        tally.records.update(f"lenient.{cause}" for cause in record.lenient)
        if skipped or response is None:
            tally.records[f"skipped.{skipped}"] += 1
            return None
        tally.records.update(f"lenient.{cause}" for cause in response.lenient)
        content, reason, cause = self._content(record, response)
        headers = record.headers
        url = headers.get("warc-target-uri", "").strip("<> \t")
        return {
            "doc_id": document_id(source, file, record.position, record_name(record, response)),
            "url": url or None,
            "source": source,
            "crawled_at": parse_date(headers.get("warc-date", "")),
            "licence": self.licence,
            "declared_language": _language(response.headers.get("content-language", "")),
            "origin": origin,
            "origin_offset": record.offset,
            "truncated": missing_end(record, tally, cause),
            "content": content,
            "content_type": response.headers.get("content-type"),
            "preferences": of_headers(response.headers),
            "drop_reason": reason and extract_reason(reason),
        }

    def _content(self, record: Record, response: Response) -> tuple[bytes | None, str | None, Cause | None]:
        """The page, or why there is none; and why its end is missing."""
        if record.too_long:
            return None, "too_many_bytes", None
        try:
            body = decoded_body(response, self.max_record_bytes)
        except TooManyBytes:
            return None, "too_many_bytes", None
        except UndecodableBody:
            return None, "undecodable_body", None
        return body.content, None, body.truncated


def _named(record: Record, origin: str, file: str, source: str) -> dict[str, Any]:
    """A row that says which record it is of, and no more."""
    name = record.headers.get("warc-record-id", "")
    return {
        "doc_id": document_id(source, file, record.position, name),
        "source": source,
        "origin": origin,
        "origin_offset": record.offset,
    }


def record_name(record: Record, response: Response) -> str:
    """WARC-Record-ID; if missing, and in ARC: url, date and BLAKE2b of the body as stored."""
    if name := record.headers.get("warc-record-id"):
        return name
    digest = hashlib.blake2b(response.body, digest_size=16).hexdigest()
    return f"{record.headers.get('warc-target-uri', '')} {record.headers.get('warc-date', '')} {digest}"


def _not_a_page(record: Record, response: Response | None, wanted: _Wanted, limit: int) -> str | None:
    """What the record is counted as; None for a wanted response with status 200. A body is decoded to `limit` bytes."""
    types, untold, begins = wanted
    if response is None:
        return counted_record(record.kind)
    if not response.status:
        stored = media_type(record.headers.get("content-type"))
        return f"type.{counted_type(stored)}" if stored not in ("", "application/http", *types) else "status.missing"
    if response.status != 200:
        return f"status.{response.status}"
    media = media_type(response.headers.get("content-type"))
    if media in types or (media in untold and _begins(response, begins, limit)):
        return None
    return f"type.{counted_type(media) or 'unknown'}"


def _begins(response: Response, begins: Callable[[bytes], bool], limit: int) -> bool:
    try:
        return begins(decode_body(response, min(len(response.body) * 64 + 4096, limit)))
    except (TooManyBytes, UndecodableBody):
        return False


def _language(declared: str) -> str | None:
    """Content-Language if it names one language."""
    declared = declared.strip()
    return declared if _LANGUAGE.fullmatch(declared) else None


def _batch(rows: list[dict[str, Any]]) -> pa.RecordBatch:
    columns = [pa.array([row.get(field.name) for row in rows], field.type) for field in RAW]
    return pa.RecordBatch.from_arrays(columns, schema=RAW)

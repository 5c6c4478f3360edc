"""WET archives of Common Crawl: one row per `conversion` record, whose block is the text of a page as UTF-8.

Files may be compressed as those of `warc`, and offsets are the same. Bytes that are not UTF-8 become U+FFFD and are
counted (`lenient.invalid_utf8`). Records of other types are counted (`skipped.warcinfo`). The declared language is the
first that the crawl identified, as Common Crawl writes it: three letters of ISO 639-3. Texts whose end is missing have
the cause in the column `truncated` (`missing_ends`) and are counted by it (`truncated.length`).

Source: Common Crawl, "Web Archiving File Formats Explained" (WET); ISO 28500:2017, section 6.8 (`conversion`).
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

import pyarrow as pa

from curation.core.document import DOCUMENT, document_id
from curation.core.protocols import Piece, ReadTally
from curation.core.reasons import extract_reason
from curation.sources.archive import Record
from curation.sources.counted_types import counted_record
from curation.sources.dates import dates
from curation.sources.missing_ends import missing_end
from curation.sources.plain_records import archive_records
from curation.sources.source_files import TextSource
from curation.sources.units import batched
from curation.sources.utf8 import decoded


@dataclass(frozen=True, kw_only=True)
class Wet(TextSource):
    """WET files; each `paths` entry is a file, a folder or a glob."""

    licence: Annotated[str | None, "written to every row"] = None

    version: ClassVar[int] = 2

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """DOCUMENT batches. Raises InputError if a file is missing, StageError if it cannot be read."""
        for rows in batched(self._rows(unit, source, tally)):
            yield _batch(rows, tally)

    def _rows(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[tuple[dict[str, Any], int]]:
        """Rows, with the sizes of their blocks."""
        for piece in unit:
            lost = partial(tally.lose, piece.path)
            for origin, record in archive_records(
                piece.path, tally.fault, max_block=self.max_document_bytes, on_lost=lost
            ):
                tally.records.update(f"lenient.{cause}" for cause in record.lenient)
                if record.kind != "conversion":
                    tally.records[f"skipped.{counted_record(record.kind)}"] += 1
                    continue
                file = piece.name + origin.removeprefix(piece.path)
                row = self._row(record, source, origin, file)
                row["truncated"] = missing_end(record, tally)
                yield row, len(record.block)

    def _row(self, record: Record, source: str, origin: str, file: str) -> dict[str, Any]:
        headers = record.headers
        name = headers.get("warc-record-id") or hashlib.blake2b(record.block, digest_size=16).hexdigest()
        languages = headers.get("warc-identified-content-language", "")
        return {
            "doc_id": document_id(source, file, record.position, name),
            "url": headers.get("warc-target-uri", "").strip("<> \t") or None,
            "source": source,
            "crawled_at": headers.get("warc-date"),
            "licence": self.licence,
            "declared_language": languages.partition(",")[0].strip() or None,
            "origin": origin,
            "origin_offset": record.offset,
            "text": None if record.too_long else record.block,
            "drop_reason": extract_reason("too_many_bytes") if record.too_long else None,
        }


def _batch(rows: list[dict[str, Any]], tally: ReadTally) -> pa.RecordBatch:
    columns = [_column(field, [row.get(field.name) for row in rows], tally) for field in DOCUMENT]
    return pa.RecordBatch.from_arrays(columns, schema=DOCUMENT)


def _column(field: pa.Field, values: list[Any], tally: ReadTally) -> pa.Array:
    if field.name == "crawled_at":
        return dates(pa.array(values, pa.string()))
    return _texts(values, tally) if field.name == "text" else pa.array(values, field.type)


def _texts(blocks: list[bytes | None], tally: ReadTally) -> pa.Array:
    """large_string[N]. Arrow checks UTF-8 without making strings of Python."""
    try:
        return pa.array(blocks, pa.large_binary()).cast(pa.large_string())
    except pa.ArrowInvalid:
        return pa.array([None if block is None else decoded(block, tally) for block in blocks], pa.large_string())

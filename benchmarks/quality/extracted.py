"""What extractors make of archives, kept in a folder: a second run reads it there.

A file is of one extractor and one archive. Its name has a hash of the extractor's options and of the sources of
`curation/extract`, so that changed code extracts again.
"""

import hashlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import curation.extract
from benchmarks.extraction import cascade

SOURCES = Path(curation.extract.__file__).parent
RECORD = "record_id"


def documents(extractor: Any, archive: Path, cache: Path | None) -> pa.RecordBatch:
    """An archive's documents with all columns of extraction, and RECORD; each row is a page, also one without text."""
    file = cache and cache / f"{_name(extractor)}-{archive.name}.parquet"
    if file and file.exists():
        return _one(pq.read_table(file))
    read = cascade.read_batches([archive])
    extracted, _ = cascade.timed(extractor, read)
    named = [
        batch.append_column(RECORD, pa.array(records)) for (records, _), batch in zip(read, extracted, strict=True)
    ]
    table = pa.Table.from_batches(named)
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, file)
    return _one(table)


def pages_as_read(archive: Path) -> dict[str, str]:
    """Record id -> markup, read as UTF-8."""
    return {
        record: str(content.as_py(), "utf-8", "replace")
        for records, pages in cascade.read_batches([archive])
        for record, content in zip(records, pages.column("content"), strict=True)
    }


def _name(extractor: Any) -> str:
    digest = hashlib.blake2b(repr(extractor).encode(), digest_size=8)
    for source in sorted(SOURCES.rglob("*.py")):
        digest.update(source.read_bytes())
    return f"{type(extractor).__name__.lower()}-{digest.hexdigest()}"


def _one(table: pa.Table) -> pa.RecordBatch:
    return table.combine_chunks().to_batches()[0]

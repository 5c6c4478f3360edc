"""The texts that both sides judge: pages of web archives through our extractor, rows of JSON lines and of Parquet."""

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.document import kept_mask
from curation.core.errors import InputError
from curation.core.input_files import list_files
from curation.core.protocols import ReadTally, Source
from curation.extract.resiliparse import Resiliparse
from curation.sources.jsonl import Jsonl
from curation.sources.parquet import Parquet
from curation.sources.warc import Warc
from tests.support import SHARED

COLUMNS = ["doc_id", "url", "origin", "text"]
DEFAULT = ("web/pages*.warc.gz", "text/*")
_SOURCES: dict[str, type] = {".parquet": Parquet, ".warc": Warc, ".jsonl": Jsonl}


def default_paths() -> tuple[str, ...]:
    """Raises InputError if the test data is not beside this checkout."""
    if not SHARED.is_dir():
        raise InputError("give the paths of .warc, .jsonl or .parquet files (also .gz and .zst): there is no test data")
    return tuple(str(SHARED / pattern) for pattern in DEFAULT)


def read(patterns: Sequence[str], documents: int | None) -> pa.Table:
    """COLUMNS of every document with text, in the order of the files; `documents` of them spread evenly over all."""
    batches = [batch.select(COLUMNS) for pattern in patterns for batch in _batches(pattern)]
    if not batches:
        raise InputError(f"no document with text in {', '.join(patterns)}")
    table = pa.Table.from_batches(batches).combine_chunks()
    if documents is None or documents >= len(table):
        return table
    return table.take([row * len(table) // documents for row in range(documents)])


def _batches(pattern: str) -> Iterator[pa.RecordBatch]:
    for file in list_files(pattern):
        source = _source(file.path)
        for unit in source.split([file], group_bytes=1, split_bytes=1 << 40):
            for batch in source.read(unit, "parity", ReadTally()):
                if source.yields == "html":
                    batch = Resiliparse().extract(batch, {}, lambda *_: None)
                yield batch.filter(pc.and_(kept_mask(batch), pc.is_valid(batch.column("text"))))


def _source(path: str) -> Source:
    for suffix, source in _SOURCES.items():
        if suffix in path.rpartition("/")[2]:
            reader: Source = source(paths=(path,))
            return reader
    raise InputError(f"{path}: expected .warc, .jsonl or .parquet in the name (also with .gz or .zst)")

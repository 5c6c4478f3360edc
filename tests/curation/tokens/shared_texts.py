"""The texts of the real test data, file by file."""

import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from tests.support import SHARED


def columns(*folders: str) -> Iterator[pa.Array]:
    """large_string arrays: one per file of `folders`, all its texts."""
    for folder in folders:
        for path in sorted((SHARED / folder).iterdir()):
            if path.suffix == ".parquet":
                yield pq.read_table(path, columns=["text"])["text"].combine_chunks().cast(pa.large_string())
            elif ".jsonl" in path.name:
                yield pa.array([json.loads(line)["text"] for line in _lines(path)], pa.large_string())


def _lines(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        packed = (
            zstandard.ZstdDecompressor().stream_reader(file) if path.suffix == ".zst" else gzip.GzipFile(fileobj=file)
        )
        yield from io.TextIOWrapper(packed, encoding="utf-8")

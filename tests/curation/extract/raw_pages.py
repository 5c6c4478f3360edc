"""Batches of raw pages for the tests of extraction, and the pages of the real test data."""

import gzip
import json
import re
from collections import Counter
from typing import Any

import pyarrow as pa
from fastwarc.warc import ArchiveIterator

from curation.core.document import RAW, document_id
from tests.support import SHARED

WEB = SHARED / "web"
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


def raw_pages(*contents: bytes | None, **columns: list[object]) -> pa.RecordBatch:
    """A RAW batch with one row per page and any column overridden."""
    values: dict[str, list[Any]] = {
        "doc_id": [document_id("test", "f", i, "") for i in range(len(contents))],
        "source": ["test"] * len(contents),
        "content": list(contents),
    }
    values.update(columns)
    return pa.RecordBatch.from_pydict(
        {field.name: pa.array(values.get(field.name, [None] * len(contents)), field.type) for field in RAW}
    )


def never(doc_id: str, cause: str) -> None:
    """An `on_caught` for pages that the net must not catch."""
    raise AssertionError(f"{doc_id} was caught: {cause}")


def records(pattern: str) -> dict[str, tuple[bytes, str | None]]:
    """Body and Content-Type of each page in the real archives that match, by record id."""
    found = {}
    for path in sorted(WEB.glob(pattern)):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream):
                if record.http_headers is not None:
                    kind = record.http_headers.get("Content-Type")
                    found[record.headers["WARC-Record-ID"]] = (record.reader.read(), kind)
    return found


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of a gzipped JSON-lines file beside the archives."""
    with gzip.open(WEB / name, "rt") as lines:
        return [json.loads(line) for line in lines]


def token_f1(text: str, truth: str) -> float:
    """F1 of two bags of words, a Chinese, Japanese or Korean character being a word."""
    found, wanted = (Counter(_TOKEN.findall(one.lower())) for one in (text, truth))
    return 2 * (found & wanted).total() / max(1, found.total() + wanted.total())

"""Batches of raw pages for the tests of extraction, and the pages of the real test data."""

import gzip
import json
import re
from collections import Counter
from typing import Any

import pyarrow as pa
from fastwarc.warc import ArchiveIterator

from curation.core.document import RAW, document_id
from curation.core.protocols import Extractor
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


def texts(config: Extractor, *pages: str | bytes) -> list[str | None]:
    """What an extractor finds in each page."""
    contents = [page.encode() if isinstance(page, str) else page for page in pages]
    found: list[str | None] = config.extract(raw_pages(*contents), {}, never).column("text").to_pylist()
    return found


def mean_f1(config: Extractor, dataset: str) -> float:
    """Of an extractor's texts, over the pages of a part of the real test data whose whole text is known."""
    truth = [row for row in rows("truth.jsonl.gz") if row["dataset"] == dataset and row["truth_kind"] == "full_text"]
    pages = records("pages-*.warc.gz")
    found = texts(config, *(pages[row["record_id"]][0] for row in truth))
    return sum(token_f1(text or "", row["text"]) for text, row in zip(found, truth, strict=True)) / len(truth)


def token_f1(text: str, truth: str) -> float:
    """F1 of two bags of words, a Chinese, Japanese or Korean character being a word."""
    found, wanted = (Counter(_TOKEN.findall(one.lower())) for one in (text, truth))
    return 2 * (found & wanted).total() / max(1, found.total() + wanted.total())

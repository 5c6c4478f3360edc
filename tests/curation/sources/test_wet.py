"""Common Crawl's extracted texts as documents."""

import gzip
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from curation.core.protocols import Piece, ReadTally
from curation.sources.wet import Wet
from tests.curation.sources.sample import Sample


def record(block: bytes, kind: str = "conversion", *headers: str) -> bytes:
    lines = ["WARC/1.0", f"WARC-Type: {kind}", *headers, "Content-Type: text/plain", f"Content-Length: {len(block)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


def archive(texts: Sequence[str]) -> bytes:
    return b"".join(record(text.encode()) for text in texts)


SAMPLE = Sample(archive, {"max_document_bytes": 2000})


def read(path: Path) -> tuple[list[dict[str, Any]], ReadTally]:
    tally = ReadTally()
    batches = Wet(paths=(), licence="CC0-1.0").read([Piece(str(path), name=path.name)], "web", tally)
    return [row for batch in batches for row in batch.to_pylist()], tally


def test_a_page(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.wet.gz"
    headers = (
        "WARC-Target-URI: http://a.org/b",
        "WARC-Date: 2024-02-20T21:00:44Z",
        "WARC-Record-ID: <urn:uuid:1>",
        "WARC-Refers-To: <urn:uuid:0>",
        "WARC-Identified-Content-Language: fra,eng",
    )
    info = gzip.compress(record(b"isPartOf: CC-MAIN-2024-10\r\n", "warcinfo"))
    path.write_bytes(info + gzip.compress(record("Été\nà Paris\n".encode(), "conversion", *headers)))
    (row,), tally = read(path)
    assert row.pop("doc_id")
    assert row == {
        "url": "http://a.org/b",
        "source": "web",
        "record_id": None,
        "crawled_at": datetime(2024, 2, 20, 21, 0, 44, tzinfo=UTC),
        "licence": "CC0-1.0",
        "declared_language": "fra",
        "origin": str(path),
        "origin_offset": len(info),
        "truncated": None,
        "text": "Été\nà Paris\n",
        "drop_reason": None,
    }
    assert (dict(tally.records), tally.faults) == ({"skipped.warcinfo": 1}, [])


def test_bytes_that_are_no_text_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "x.wet"
    path.write_bytes(record(b"caf\xe9") + record(b"HTTP/1.1 200 OK\r\n\r\n", "response"))
    (row,), tally = read(path)
    assert (row["text"], row["url"], row["declared_language"]) == ("caf\ufffd", None, None)
    assert dict(tally.records) == {"lenient.invalid_utf8": 1, "skipped.response": 1}


def test_a_file_that_is_cut_short_gives_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "x.wet.gz"
    path.write_bytes(gzip.compress(record(b"one")) + gzip.compress(record(b"two " * 1000))[:-20])
    rows, tally = read(path)
    assert [row["text"][:3] for row in rows] == ["one", "two"]
    assert [fault["error"] for fault in tally.faults] == ["gzip member is cut short by the end of the file"]

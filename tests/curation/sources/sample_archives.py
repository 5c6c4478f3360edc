"""Small archives made to measure: records, gzip members and HTTP blocks, whole and broken."""

import gzip
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from curation.core.protocols import Piece, ReadTally
from curation.sources.warc import Warc

PAGE = b"<html><body><p>Hello</p></body></html>"


def http(body: bytes = PAGE, *fields: str, status: str = "200 OK", media: str | None = "text/html") -> bytes:
    """An HTTP response as stored in a record."""
    lines = [f"HTTP/1.1 {status}", *([f"Content-Type: {media}"] if media else []), *fields, "", ""]
    return "\r\n".join(lines).encode() + body


def warc(
    name: str, block: bytes | None = None, *fields: str, kind: str = "response", length: int | None = None
) -> bytes:
    """One record; its block is a page unless given, its Content-Length right unless given."""
    block = http() if block is None else block
    lines = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <urn:test:{name}>",
        f"WARC-Target-URI: https://example.org/{name}",
        "WARC-Date: 2020-01-02T03:04:05Z",
        *fields,
        f"Content-Length: {len(block) if length is None else length}",
        "",
        "",
    ]
    return "\r\n".join(lines).encode() + block + b"\r\n\r\n"


def members(*records: bytes) -> bytes:
    """Each record as its own gzip member."""
    return b"".join(gzip.compress(record, mtime=0) for record in records)


def written_by_warcio(bodies: Sequence[bytes], *, compressed: bool) -> bytes:
    """A response each, with a request and a warcinfo record before them."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=compressed)
    writer.write_record(writer.create_warcinfo_record("made.warc", {"software": "test"}))
    for i, body in enumerate(bodies):
        url = f"https://example.org/{i}"
        asked = StatusAndHeaders("GET / HTTP/1.1", [("Host", "example.org")], is_http_request=True)
        writer.write_record(writer.create_warc_record(url, "request", http_headers=asked))
        head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        writer.write_record(writer.create_warc_record(url, "response", payload=io.BytesIO(body), http_headers=head))
    return out.getvalue()


def read(path: Path, content: bytes | None = None, **config: Any) -> tuple[list[dict[str, Any]], ReadTally]:
    """The rows that `Warc` gives of a file, written first if its content is given, and the tally."""
    if content is not None:
        path.write_bytes(content)
    tally = ReadTally()
    batches = Warc(paths=(str(path),), **config).read((Piece(str(path), name=path.name),), "web", tally)
    return [row for batch in batches for row in batch.to_pylist()], tally


def names(rows: list[dict[str, Any]]) -> list[str]:
    """The last part of each row's url."""
    return [(row["url"] or "").rpartition("/")[2] for row in rows]

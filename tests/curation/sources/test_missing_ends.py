"""Pages whose capture lacks its end are told from whole ones, by cause; none that is whole is taken for cut."""

import gzip
import zlib
from collections.abc import Callable
from pathlib import Path

import brotli
import zstandard

from curation.sources.http import decoded_body, parse_response
from tests.curation.sources.sample_archives import PAGE, http, members, names, read, warc
from tests.curation.sources.test_archive import ARC_HEAD, arc
from tests.curation.sources.test_wet import read as read_wet
from tests.curation.sources.test_wet import record as wet
from tests.support import SHARED, needs_shared_data, table

TEXT = b"<html><body>" + b"".join(b"<p>Paragraph %d of a page.</p>" % i for i in range(4000)) + b"</body></html>"
GZIP = gzip.compress(TEXT)
CODED = "Content-Encoding: gzip"
CHUNKED = "Transfer-Encoding: chunked"


def chunks(body: bytes, size: int = 1000) -> bytes:
    """Without the last one, of size 0."""
    parts = (body[at : at + size] for at in range(0, len(body), size))
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts)


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def cause(body: bytes, *fields: str) -> str | None:
    return decoded_body(parse_response(http(body, *fields)), 1 << 20).truncated


@table(
    ("pack", "name"),
    {
        "gzip": (gzip.compress, "gzip"),
        "deflate": (zlib.compress, "deflate"),
        "deflate without a header": (raw_deflate, "deflate"),
        "brotli": (brotli.compress, "br"),
        "zstd": (zstandard.compress, "zstd"),
    },
)
def test_compressed_bodies(pack: Callable[[bytes], bytes], name: str) -> None:
    body = pack(TEXT)
    coded = f"Content-Encoding: {name}"
    assert cause(body, coded) is None
    assert cause(body[:-1], coded) == "content_encoding"
    assert cause(body[: len(body) // 2], coded) == "content_encoding"
    assert cause(chunks(body) + b"0\r\n\r\n", coded, CHUNKED) is None
    assert cause(chunks(body[:-1]) + b"0\r\n\r\n", coded, CHUNKED) == "content_encoding"
    assert cause(chunks(body[:-1]), coded, CHUNKED) == "chunked"
    assert cause(body[:-1], coded, f"Content-Length: {len(body)}") == "content_length"
    assert cause(body + b"<!-- behind the end -->", coded) is None


@table(
    ("body", "fields", "expected"),
    {
        "no length": (TEXT, (), None),
        "the length": (TEXT, (f"Content-Length: {len(TEXT)}",), None),
        "one byte more is stated": (TEXT, (f"Content-Length: {len(TEXT) + 1}",), "content_length"),
        "less is stated": (TEXT, ("Content-Length: 7",), None),
        "an answer to HEAD": (b"", ("Content-Length: 7000",), None),
        "no number": (TEXT, ("Content-Length: many",), None),
        "the length before the crawl": (TEXT, (f"X-Crawl-Content-Length: {len(TEXT) + 9}",), None),
        "compressed and whole, with the length of the text": (GZIP, (CODED, f"Content-Length: {len(TEXT)}"), None),
        "stored without its coding": (TEXT[:2000], (CODED, f"Content-Length: {len(GZIP)}"), None),
        "all chunks": (chunks(TEXT) + b"0\r\n\r\n", (CHUNKED,), None),
        "all chunks and a trailer": (chunks(TEXT) + b"0\r\nA: b\r\n\r\n", (CHUNKED,), None),
        "a length beside chunks": (chunks(TEXT) + b"0\r\n\r\n", (CHUNKED, "Content-Length: 999999"), None),
        "no last chunk": (chunks(TEXT), (CHUNKED,), "chunked"),
        "cut inside a chunk": (chunks(TEXT)[:-50], (CHUNKED,), "chunked"),
        "a wrong size": (chunks(TEXT) + b"xyz\r\nmore", (CHUNKED,), "chunked"),
        "stored without chunks": (TEXT, (CHUNKED,), None),
        "stored without chunks or coding": (TEXT, (CHUNKED, CODED, "Content-Length: 999999"), None),
    },
)
def test_bodies(body: bytes, fields: tuple[str, ...], expected: str | None) -> None:
    assert cause(body, *fields) == expected


@table(
    ("field", "expected"),
    {
        "length": ("length", "length"),
        "time, in capitals": (" Time ", "time"),
        "disconnect": ("disconnect", "disconnect"),
        "unspecified": ("unspecified", "unspecified"),
        "another word": ("cosmic rays", "unspecified"),
        "nothing": ("", None),
    },
)
def test_what_the_archive_states(tmp_path: Path, field: str, expected: str | None) -> None:
    block = http(TEXT, f"Content-Length: {len(TEXT)}")
    (row,), tally = read(tmp_path / "x.warc", warc("a", block, f"WARC-Truncated: {field}"))
    assert row["truncated"] == expected
    assert tally.records == ({f"truncated.{expected}": 1} if expected else {})
    assert row["content"] == TEXT


def test_what_the_archive_states_goes_first(tmp_path: Path) -> None:
    (row,), _ = read(tmp_path / "x.warc", warc("a", http(GZIP[:-9], CODED), "WARC-Truncated: time"))
    assert row["truncated"] == "time"


def test_archives_that_are_cut(tmp_path: Path) -> None:
    content = members(warc("a"), warc("b", http(TEXT)))
    rows, tally = read(tmp_path / "x.warc.gz", content[:-300])
    assert [row["truncated"] for row in rows] == [None, "content_length"]
    assert tally.records == {"truncated.content_length": 1}


def test_a_length_that_was_mended_is_no_cut(tmp_path: Path) -> None:
    rows, _ = read(tmp_path / "x.warc", warc("a", length=len(http()) + 20) + warc("b", length=9) + warc("c"))
    assert [(name, row["truncated"]) for name, row in zip(names(rows), rows, strict=True)] == [
        ("a", None),
        ("b", None),
        ("c", None),
    ]
    assert rows[1]["content"] == PAGE


def test_arc(tmp_path: Path) -> None:
    rows, _ = read(tmp_path / "x.arc", ARC_HEAD + arc("a", http(TEXT, "Content-Length: 999999")) + arc("b", http(TEXT)))
    assert [row["truncated"] for row in rows] == ["content_length", None]


def test_wet(tmp_path: Path) -> None:
    path = tmp_path / "x.wet"
    path.write_bytes(wet(b"one", "conversion", "WARC-Truncated: length") + wet(b"two") + wet(b"three")[:-6])
    rows, tally = read_wet(path)
    assert [(row["text"], row["truncated"]) for row in rows] == [
        ("one", "length"),
        ("two", None),
        ("thr", "content_length"),
    ]
    assert tally.records["truncated.length"] == 1


@needs_shared_data
def test_real_pages_are_whole(tmp_path: Path) -> None:
    rows, _ = read(SHARED / "web" / "pages-public-00000.warc.gz")
    assert {row["truncated"] for row in rows} == {None}


@needs_shared_data
def test_captures_that_are_cut() -> None:
    rows, _ = read(SHARED / "cases" / "records" / "truncated" / "pages.warc.gz")
    assert {name: row["truncated"] for name, row in zip(names(rows), rows, strict=True)} == {
        "whole": None,
        "truncated-header": "length",
        "truncated-disconnect": "disconnect",
        "http-length-longer": "content_length",
        "gzip-cut": "content_encoding",
        "deflate-cut": "content_encoding",
        "chunked-cut": "chunked",
        "no-closing-tags": None,
    }


def test_too_long_pages_have_no_cause(tmp_path: Path) -> None:
    (row,), _ = read(tmp_path / "x.warc", warc("a", http(TEXT)), max_record_bytes=100)
    assert (row["drop_reason"], row["truncated"]) == ("extract:too_many_bytes", None)

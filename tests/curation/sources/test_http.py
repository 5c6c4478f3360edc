"""HTTP bodies: transfer and content encodings, right, wrong and broken."""

import gzip
import zlib

import brotli
import pytest
import zstandard

from curation.sources.http import (
    TooManyBytes,
    UndecodableBody,
    dechunk,
    decode_body,
    looks_like_html,
    media_type,
    parse_response,
)
from tests.curation.sources.sample_archives import PAGE, http

LONG = b"<html>" + b"".join(b"<p>paragraph %d</p>" % i for i in range(3000))


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def decoded(body: bytes, *fields: str, limit: int = 1 << 20) -> bytes:
    return decode_body(parse_response(http(body, *fields)), limit)


PACKERS = [
    pytest.param(gzip.compress, "gzip", id="gzip"),
    pytest.param(gzip.compress, "x-gzip", id="x-gzip"),
    pytest.param(zlib.compress, "deflate", id="deflate with zlib header"),
    pytest.param(raw_deflate, "deflate", id="raw deflate"),
    pytest.param(gzip.compress, "deflate", id="gzip called deflate"),
    pytest.param(brotli.compress, "br", id="brotli"),
    pytest.param(zstandard.compress, "zstd", id="zstd"),
]


@pytest.mark.parametrize(("pack", "name"), PACKERS)
class TestContentEncoding:
    def test_is_undone(self, pack: object, name: str) -> None:
        assert callable(pack)
        assert decoded(pack(LONG), f"Content-Encoding: {name.upper()}") == LONG

    def test_already_undone_by_the_crawler(self, pack: object, name: str) -> None:
        assert decoded(LONG, f"Content-Encoding: {name}") == LONG

    def test_cut_short_gives_what_is_there(self, pack: object, name: str) -> None:
        assert callable(pack)
        packed = pack(LONG)
        out = decoded(packed[: len(packed) * 3 // 4], f"Content-Encoding: {name}")
        assert LONG.startswith(out)
        if name != "zstd":  # its blocks are whole or nothing
            assert len(out) > 100

    def test_limit(self, pack: object, name: str) -> None:
        assert callable(pack)
        assert decoded(pack(LONG), f"Content-Encoding: {name}", limit=len(LONG)) == LONG
        with pytest.raises(TooManyBytes):
            decoded(pack(LONG), f"Content-Encoding: {name}", limit=len(LONG) - 1)

    def test_what_gives_nothing_is_undecodable(self, pack: object, name: str) -> None:
        with pytest.raises(UndecodableBody):
            decoded(b"\x07\xff\x00\x13" * 40, f"Content-Encoding: {name}")

    def test_an_empty_page_is_not(self, pack: object, name: str) -> None:
        assert callable(pack)
        assert decoded(pack(b""), f"Content-Encoding: {name}") == b""


def test_damaged_gzip_gives_what_came_before() -> None:
    packed = bytearray(gzip.compress(LONG, 0))
    packed[len(packed) // 2 : len(packed) // 2 + 40000] = b""
    assert decoded(bytes(packed), "Content-Encoding: gzip").startswith(LONG[:20000])


def test_two_encodings_are_undone_from_the_last() -> None:
    assert decoded(brotli.compress(gzip.compress(LONG)), "Content-Encoding: gzip, br") == LONG


def test_unknown_encoding_is_left() -> None:
    assert decoded(PAGE, "Content-Encoding: utf-8") == PAGE


@pytest.mark.parametrize(
    ("stored", "body"),
    [
        pytest.param(b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", b"abcde", id="two chunks"),
        pytest.param(b"3;name=value\r\nabc\r\n0\r\nTrailer: x\r\n\r\n", b"abc", id="extension and trailer"),
        pytest.param(b"A\r\n0123456789\r\n0\r\n\r\n", b"0123456789", id="hexadecimal size"),
        pytest.param(b"3\nabc\n0\n\n", b"abc", id="line feeds only"),
        pytest.param(b"0\r\n\r\n", b"", id="empty"),
        pytest.param(b"ff\r\nabc", b"abc", id="cut inside a chunk"),
        pytest.param(b"3\r\nabc", b"abc", id="no last chunk"),
        pytest.param(b"<html>plain", b"<html>plain", id="not chunked after all"),
        pytest.param(b"3\r\nabc\r\nzz\r\nrest", b"abc", id="wrong size in the middle"),
        pytest.param(b"3\r\nabc\r\nFFFFFFFFFFFFFFFF\r\nrest", b"abc", id="absurd size in the middle"),
        pytest.param(b"3\r\nabc\r\n-2\r\nrest", b"abc", id="negative size in the middle"),
        pytest.param(b"3\r\nabc\r\n8000000000000000\r\nrest", b"abc", id="one byte more than browsers take"),
        pytest.param(b"3\r\nabc\r\n7FFFFFFFFFFFFFFF\r\nrest", b"abcrest", id="as much as browsers take, cut short"),
        pytest.param(b"00000000000000003\r\nabc\r\n0\r\n\r\n", b"abc", id="zeros before a size"),
        pytest.param(b"3\r\nabc\r\n2\r\ndef\r\n1\r\ng", b"abcde", id="no line end behind a chunk"),
        pytest.param(b"3\r\n<p>text\r\n0\r\n\r\n", b"<p>", id="no line end behind a first chunk of markup"),
        pytest.param(b"3\r\nplain text", b"3\r\nplain text", id="a number on the first line of text"),
        pytest.param(b"\xef\xbb\xbfnot chunked", b"\xef\xbb\xbfnot chunked", id="a byte order mark"),
    ],
)
def test_dechunk(stored: bytes, body: bytes) -> None:
    assert dechunk(stored) == body


@pytest.mark.parametrize("size", [b"FFFFFFFFFFFFFFFF", b"-1", b"f" * 4000])
def test_a_body_that_begins_with_an_absurd_size(size: bytes) -> None:
    with pytest.raises(UndecodableBody, match="chunk of"):
        decoded(size + b"\r\n<html>page", "Transfer-Encoding: chunked")


def test_chunked_and_brotli() -> None:
    packed = brotli.compress(LONG)
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(packed), packed)
    assert decoded(chunks, "Transfer-Encoding: chunked", "Content-Encoding: br") == LONG


def test_parse_response() -> None:
    response = parse_response(b"HTTP/1.0 404 Not Found\nContent-Type: a/b\nX: 1\n  2\nx: 3\n\nbody")
    assert (response.status, response.headers, response.body) == (404, {"content-type": "a/b", "x": "1 2"}, b"body")


@pytest.mark.parametrize(
    ("line", "lenient"),
    [
        (b"HTTP/1.1 200 OK", ()),
        (b"HTTP/1.1 200", ()),
        (b"HTTP/2 200 ", ()),
        (b"HTTPX/1.1 200 OK", ("status_line",)),
        (b"http/1.1 200 OK", ("status_line",)),
        (b"HTTP 200 OK", ("status_line",)),
        (b"HTTP/1.1\t200\tOK", ("status_line",)),
        (b"HTTP/1.1 200OK", ("status_line",)),
        (b"\xef\xbb\xbf\r\n HTTP/1.1 200 OK", ("status_line",)),
        (b"\0\0HTTP/1.1 200 OK", ("status_line",)),
        (b"HTTP/1.1 200\r", ("line_ends",)),
        (b"HTTP/1.1 200\n", ("line_ends",)),
        (b"HTTP/1.1 200\n\n\n", ("line_ends",)),
        (b"HTTP/1.1 200 OK\rServer: x", ("line_ends",)),
    ],
)
def test_status_lines(line: bytes, lenient: tuple[str, ...]) -> None:
    response = parse_response(line + b"\r\nContent-Type: text/html\r\n\r\n" + PAGE)
    assert (response.status, response.headers["content-type"], response.body) == (200, "text/html", PAGE)
    assert response.lenient == lenient


@pytest.mark.parametrize(
    "block",
    [
        b"",
        b"<html>",
        b"SSH-2.0",
        b"HTTP/1.1 OK\r\n\r\n",
        b"HTTP/1.1 2000\r\n\r\n",
        b"HTTP/1.1 20\r\n\r\n",
        b"x HTTP/1.1 200\n\n",
    ],
)
def test_no_http_header(block: bytes) -> None:
    assert (parse_response(block).status, parse_response(block).body) == (0, block)


@pytest.mark.parametrize(
    ("header", "media"),
    [
        ("Text/HTML; charset=x", "text/html"),
        ("text/html,text/html", "text/html"),
        (None, ""),
        ("", ""),
        ("text/html charset=utf-8", "text/html"),
        ("text/html\tcharset=utf-8", "text/html"),
        ("TEXT/HTML;;charset", "text/html"),
        ("text/html; ;charset=utf-8", "text/html"),
        (" text/html ;charset=utf-8", "text/html"),
        ("text / html", "text/html"),
        ('"text/html"; charset=utf-8', "text/html"),
        ("'text/html'", "text/html"),
        ("text/html\0", "text/html"),
        ("text/html:charset=utf-8", "text/html"),
        ("text/html/", "text/html"),
        ("text/html(comment)", "text/html"),
        ("text/plain, text/html", "text/html"),
        ("text/html; charset=utf-8, image/png", "text/html"),
        ("image/png, text/plain", "text/plain"),
        ("image/png charset=binary", "image/png"),
        ("text/htmlx", "text/htmlx"),
        ("html", "invalid"),
        ("*/*", "invalid"),
        ("; charset=utf-8", "invalid"),
        ("text/", "invalid"),
        ("a b/c", "invalid"),
    ],
)
def test_media_type(header: str | None, media: str) -> None:
    assert media_type(header) == media


@pytest.mark.parametrize(
    ("body", "html"),
    [
        (b"<!DOCTYPE html>", True),
        (b"\xef\xbb\xbf \n<HTML lang=en>", True),
        (b"<!-- x -->", True),
        (b"<p>", True),
        (b"<pre>", False),
        (b"<?xml version='1.0'?>", False),
        (b'{"a": 1}', False),
        (b"", False),
    ],
)
def test_looks_like_html(body: bytes, html: bool) -> None:
    assert looks_like_html(body) is html


@pytest.mark.parametrize(
    ("stated", "plain"),
    [
        ("text/html", True),
        ("Text/HTML ; charset=x, y", True),
        ("text/html charset=x", False),
        ("text/html,text/html", False),
        ("text / html", False),
        ('"text/html"', False),
    ],
)
def test_a_media_type_that_is_read_leniently_is_told(stated: str, plain: bool) -> None:
    assert parse_response(http(media=stated)).lenient == (() if plain else ("media_type",))


def test_a_repeated_media_type() -> None:
    response = parse_response(http(PAGE, "Content-Type: text/html; charset=latin-1"))
    assert response.headers["content-type"] == "text/html, text/html; charset=latin-1"
    assert response.lenient == ("media_type",)


# A reading that looks back at what it has passed would not end.
@pytest.mark.parametrize("part", ["a", "a/", " ", "/ ", ", ", "a/b,", '"', "\0", "; "])
def test_a_hostile_media_type_is_read_in_one_pass(part: str) -> None:
    assert media_type(part * 50_000) in ("invalid", "a/b", "a/a")
    assert parse_response(http(media="x" + part * 50_000)).status == 200


@pytest.mark.parametrize("part", [b" ", b"\0", b"\r\n", b"HTTP/", b"HTTP ", b"2", b"\t"])
def test_a_hostile_status_line_is_read_in_one_pass(part: bytes) -> None:
    assert parse_response(part * 50_000).status == 0
    assert parse_response(b"HTTP/1.1 " + part * 50_000).status == 0

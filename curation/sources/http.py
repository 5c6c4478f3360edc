"""Takes an HTTP response apart: status, header fields, and the body without its transfer and content encodings.

What crawlers store often differs from what the header says: many write the decoded body and keep the header. So an
encoding is undone only if the body has it. A truncated or damaged body gives what came before the damage. A status line
begins, after white space, with HTTP in any case, and its second word is a number of three digits.

Source: RFC 9112 (chunked transfer), RFC 9110 (content codings), WHATWG MIME Sniffing (what looks like HTML, and which
types count as none), WHATWG Fetch (repeated types), Chromium's net/http/http_util.cc (where a type ends).
"""

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import brotli
import zstandard

from curation.sources.fields import HeaderEnd, header_end, parse_fields
from curation.sources.inflate import until_error

HTML_TYPES = ("text/html", "application/xhtml+xml")
NO_TYPES = ("", "invalid", "unknown/unknown", "application/unknown")  # like no Content-Type: the body decides

_STATUS = re.compile(rb"(?:\xef\xbb\xbf)?[\0\t\n\r ]*HTTP[^\0-\x20]{0,64}[ \t]+(\d{3})(?!\d)[^\r\n]*", re.IGNORECASE)
_PLAIN_STATUS = re.compile(rb"HTTP/\d+(?:\.\d+)? +\d{3}(?:[ \t\r\n]|\Z)")
_CHUNK = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]{0,4096})?\r?\n")
# A type ends where its characters do; whatever follows is ignored.
_MEDIA_TYPE = re.compile(
    r"""[\0\s"']{0,16}([a-z0-9][\w.+\-]{0,60})\s{0,16}/\s{0,16}([a-z0-9][\w.+\-]{0,100})""", re.ASCII
)
_PLAIN_TYPE = re.compile(r"[\w.+\-]+/[\w.+\-]+\s*(?:;|\Z)", re.ASCII)
_LOOKS_LIKE_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?[\t\n\f\r ]*<(?:!--|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b"
    rb"|body|br|p)[\t\n\f\r />])",
    re.IGNORECASE,
)
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?[\t\n\f\r ]*<[A-Za-z!?/]")


class TooManyBytes(ValueError):  # noqa: N818 - says what is wrong, as the drop reason does
    """A body that decodes to more than the limit."""


class UndecodableBody(ValueError):  # noqa: N818
    """A body that gives nothing under the encodings in its header."""


@dataclass(frozen=True, slots=True)
class Response:
    """`status` is 0, without fields, if the block has no HTTP header; `body` is still encoded.

    `lenient` names what violates the standards: `status_line`, `line_ends`, `media_type`.
    """

    status: int
    headers: dict[str, str]  # lower-case names
    body: bytes
    lenient: tuple[str, ...] = ()


def parse_response(block: bytes) -> Response:
    """Splits a record's block into status, fields and body."""
    status = _STATUS.match(block)
    if status is None:
        return Response(0, {}, block)
    end = header_end(block, status.end(), len(block)) or HeaderEnd(len(block), len(block), plain=True)
    headers = parse_fields(block[status.end() : end.fields])
    stated = headers.get("content-type", "")
    plain = {
        "status_line": _PLAIN_STATUS.match(block),
        "line_ends": end.plain,
        "media_type": not stated or _PLAIN_TYPE.match(stated),
    }
    lenient = tuple(name for name, conforms in plain.items() if not conforms)
    return Response(int(status[1]), headers, block[end.body :], lenient)


def media_type(content_type: str | None) -> str:
    """`text/html` of `Text/HTML charset=x`; "" if none is stated, "invalid" if the statement is not a media type.

    Of several, the last one that names HTML, otherwise the last one. That is what browsers take, and loses no page that
    its first type would give.
    """
    if not content_type:
        return ""
    matches = [_MEDIA_TYPE.match(statement) for statement in content_type.lower().split(",")]
    types = [f"{match[1]}/{match[2]}" for match in matches if match]
    return ([name for name in types if name in HTML_TYPES] or types or ["invalid"])[-1]


def looks_like_html(body: bytes) -> bool:
    """Whether the body begins, after white space, with a tag that browsers take for HTML."""
    return _LOOKS_LIKE_HTML.match(body[:4096]) is not None


def decode_body(response: Response, limit: int) -> bytes:
    """The body without its encodings. Raises TooManyBytes past `limit` bytes, UndecodableBody if nothing can be
    decoded."""
    body = response.body
    transfer = response.headers.get("transfer-encoding", "").lower()
    if "chunked" in transfer:
        body = dechunk(body)
    for name in reversed(f"{response.headers.get('content-encoding', '').lower()},{transfer}".split(",")):
        decode = _DECODERS.get(name.strip())
        if decode and body:
            body = _decoded(decode, body, limit)
    return body


def dechunk(body: bytes) -> bytes:
    """Joins chunks and drops trailers. From the first place without a valid chunk size on, the body is returned
    unchanged."""
    parts = []
    at = 0
    while at < len(body):
        size = _CHUNK.match(body, at)
        if size is None:
            parts.append(body[at:])
            break
        length = int(size[1], 16)
        if not length:
            break
        parts.append(body[size.end() : size.end() + length])
        at = size.end() + length
        at += 2 if body[at : at + 2] == b"\r\n" else body[at : at + 1] == b"\n"
    return b"".join(parts)


def _decoded(decode: Callable[[bytes, int], tuple[bytes, bool]], body: bytes, limit: int) -> bytes:
    out, sound = decode(body, limit + 1)
    if len(out) > limit:
        raise TooManyBytes(f"body decodes to more than {limit} bytes")
    if out or sound:
        return out
    if _MARKUP.match(body):
        return body
    raise UndecodableBody("nothing of the body can be decoded")


# Each decoder gives what comes before the end, damage or `limit`, and whether there was no damage.


def _gzip(body: bytes, limit: int) -> tuple[bytes, bool]:
    if not body.startswith(b"\x1f\x8b"):
        return b"", False
    parts: list[bytes] = []
    left, sound = limit, True
    while body.startswith(b"\x1f\x8b") and left > 0 and sound:
        out, body, sound = _inflate(body, left, 31)
        parts.append(out)
        left -= len(out)
    return b"".join(parts), sound


def _deflate(body: bytes, limit: int) -> tuple[bytes, bool]:
    """With the zlib header that the RFC requires, or without, as some servers send it, or gzip after all."""
    if body.startswith(b"\x1f\x8b"):
        return _gzip(body, limit)
    out, _, sound = _inflate(body, limit, zlib.MAX_WBITS)
    if out or sound:
        return out, sound
    out, _, sound = _inflate(body, limit, -zlib.MAX_WBITS)
    return (out, sound) if sound else (_if_markup(out), False)


def _inflate(body: bytes, limit: int, wbits: int) -> tuple[bytes, bytes, bool]:
    """What a stream gives, what follows it, and whether there was no damage."""
    inflater = zlib.decompressobj(wbits=wbits)
    try:
        out = inflater.decompress(body, limit)
    except zlib.error:
        return until_error(zlib.decompressobj(wbits=wbits), body, limit), b"", False
    return out, inflater.unused_data, True


def _brotli(body: bytes, limit: int) -> tuple[bytes, bool]:
    try:
        return _brotli_parts(body, limit, len(body)), True
    except brotli.error:
        return _if_markup(_brotli_parts(body, limit, 1)), False


def _brotli_parts(body: bytes, limit: int, step: int) -> bytes:
    """Fed in one step, raises brotli.error on damage; byte by byte, gives what came before the damage."""
    decoder: Any = brotli.Decompressor()
    parts: list[bytes] = []
    left = limit
    try:
        for at in range(0, len(body), step):
            data = body[at : at + step]
            while left > 0 and not decoder.is_finished():
                out = decoder.process(data, output_buffer_limit=left)
                parts.append(out)
                left -= len(out)
                data = b""
                if decoder.can_accept_more_data():
                    break
    except brotli.error:
        if step > 1:
            raise
    return b"".join(parts)


def _zstd(body: bytes, limit: int) -> tuple[bytes, bool]:
    parts: list[bytes] = []
    left, sound = limit, True
    reader = zstandard.ZstdDecompressor().stream_reader(body, read_across_frames=True)
    try:
        while left > 0 and (out := reader.read(min(left, 1 << 16))):
            parts.append(out)
            left -= len(out)
    except zstandard.ZstdError:
        sound = False
    return b"".join(parts), sound


def _if_markup(out: bytes) -> bytes:
    """Raw deflate and brotli have no magic number: what comes out before damage may be noise from a body that is
    neither."""
    return out if _MARKUP.match(out) else b""


_DECODERS = {"gzip": _gzip, "x-gzip": _gzip, "deflate": _deflate, "br": _brotli, "zstd": _zstd}

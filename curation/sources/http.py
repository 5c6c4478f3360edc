"""Takes an HTTP response apart: status, header fields, and the body without its transfer and content encodings.

What crawlers store often differs from what the header says: many write the decoded body and keep the header. So an
encoding is undone only if the body has it. A truncated or damaged body gives what came before the damage. A status line
begins, after white space, with HTTP in any case, and its second word is a number of three digits.

Source: RFC 9112 (chunked transfer), RFC 9110 (content codings), WHATWG MIME Sniffing (what looks like HTML, and which
types count as none), WHATWG Fetch (repeated types), Chromium's net/http/http_util.cc (where a type ends).
"""

import io
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from curation.core.truncation import Cause
from curation.sources.brotli_streams import brotli_stream
from curation.sources.fields import HeaderEnd, header_end, parse_fields
from curation.sources.frames import ZSTD, End, zstd_frame
from curation.sources.inflate import until_error
from curation.sources.read_ahead import Raw, Window

MAX_HEAD = 1 << 20  # bytes of a status line and fields; four times what Chromium takes
MAX_CODINGS = 5  # of a body, one within the other; curl's limit
MAX_MEMBERS = 100  # gzip members of a body that are read
MAX_CHUNK = (1 << 63) - 1  # bytes that a chunk may claim; Chromium's limit

HTML_TYPES = ("text/html", "application/xhtml+xml")
PDF_TYPES = ("application/pdf", "application/x-pdf")
NO_TYPES = ("", "invalid", "unknown/unknown", "application/unknown")  # like no Content-Type: the body decides

_Decoder: TypeAlias = Callable[[bytes, int], tuple[bytes, bool, bool]]

_STATUS = re.compile(rb"(?:\xef\xbb\xbf)?[\0\t\n\r ]*HTTP[^\0-\x20]{0,64}[ \t]+(\d{3})(?!\d)[^\r\n]*", re.IGNORECASE)
_PLAIN_STATUS = re.compile(rb"HTTP/\d+(?:\.\d+)? +\d{3}(?:[ \t\r\n]|\Z)")
_CHUNK = re.compile(rb"[ \t]*([+-]?[0-9A-Fa-f]{1,4096})[ \t]*(?:;[^\r\n]{0,4096})?\r?\n")
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
    """Splits a record's block into status, fields and body. A header longer than `MAX_HEAD` counts as none."""
    stop = min(len(block), MAX_HEAD)
    status = _STATUS.match(block, 0, stop)
    end = header_end(block, status.end(), stop) if status else None
    if status is None or (end is None and stop < len(block)):
        return Response(0, {}, block)
    end = end or HeaderEnd(len(block), len(block), plain=True)
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

    Of several types, the last one that is HTML, otherwise the last one. Browsers take the last one, too; a page whose
    first type is HTML is not lost.
    """
    if not content_type:
        return ""
    matches = [_MEDIA_TYPE.match(statement) for statement in content_type.lower().split(",")]
    types = [f"{match[1]}/{match[2]}" for match in matches if match]
    return ([name for name in types if name in HTML_TYPES] or types or ["invalid"])[-1]


def looks_like_html(body: bytes) -> bool:
    """Whether the body begins, after white space, with a tag that browsers take for HTML."""
    return _LOOKS_LIKE_HTML.match(body[:4096]) is not None


def looks_like_pdf(body: bytes) -> bool:
    """Whether the body begins, in its first 1,024 bytes, as readers of PDF want it to."""
    return body.find(b"%PDF-", 0, 1024) >= 0


class Body(NamedTuple):
    """A body without its encodings, and why its end is missing; None if it is whole."""

    content: bytes
    truncated: Cause | None


def decode_body(response: Response, limit: int) -> bytes:
    """The content of `decoded_body`."""
    return decoded_body(response, limit).content


def decoded_body(response: Response, limit: int) -> Body:
    """The body without its encodings. Raises TooManyBytes past `limit` bytes, UndecodableBody if nothing can be
    decoded.

    A compressed body that has its end is whole, whatever length was stated. One that was stored without the coding in
    its header is not judged by a length that may be that of the coded body. An empty one may answer a HEAD request.
    """
    body = response.body
    transfer = response.headers.get("transfer-encoding", "").lower()
    joined = ended = False
    cause: Cause | None = None
    if "chunked" in transfer:
        body, joined, ended = _joined(body)
        cause = None if ended else "chunked"
    elif body and len(body) < _stated_length(response.headers):
        cause = "content_length"
    stated = f"{response.headers.get('content-encoding', '').lower()},{transfer}".split(",")
    decoders = [decode for name in reversed(stated) if (decode := _DECODERS.get(name.strip()))]
    if len(decoders) > MAX_CODINGS:
        raise UndecodableBody(f"body is encoded {len(decoders)} times")
    for decode in decoders:
        if not body:
            break
        body, whole = _decoded(decode, body, limit)
        if whole is False:
            cause = cause or "content_encoding"
        elif whole or not joined:  # a length that is not that of the stored body says nothing
            cause = None
    return Body(body, cause)


def _stated_length(headers: Mapping[str, str]) -> int:
    """Content-Length; 0 if none is stated."""
    stated = headers.get("content-length", "")
    return int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 16 else 0


def dechunk(body: bytes) -> bytes:
    """Joins chunks and drops trailers. Like browsers, it keeps what comes before a size that is none, is negative or
    beyond `MAX_CHUNK`, and before a chunk that no line end follows.

    A body that does not begin with a size is not chunked and returned unchanged, and so is one that begins with a
    number but has no markup behind it and no line end where that chunk would end. Raises UndecodableBody if the first
    size is negative or beyond `MAX_CHUNK`: no browser shows what follows.
    """
    return _joined(body)[0]


def _joined(body: bytes) -> tuple[bytes, bool, bool]:
    """The body as `dechunk` gives it, whether it was chunked, and whether the chunk of size 0 ends it."""
    parts: list[bytes] = []
    at = 0
    while (line := _CHUNK.match(body, at)) and 0 < (size := int(line[1], 16)) <= MAX_CHUNK:
        at = min(line.end() + size, len(body))
        ended = at == len(body) or body.startswith((b"\r\n", b"\n"), at)
        if not (ended or parts or _MARKUP.match(body, line.end())):
            return body, False, True
        parts.append(body[line.end() : at])
        if not ended:
            break
        at += 2 if body[at : at + 2] == b"\r\n" else 1
    last = line is not None and not line[1].strip(b"+-0")
    if parts:
        return b"".join(parts), True, last
    if line and line[1].strip(b"0"):
        raise UndecodableBody(f"chunk of {line[1][:20].decode()} bytes")
    return (b"", True, True) if line else (body, False, True)


def _decoded(decode: _Decoder, body: bytes, limit: int) -> tuple[bytes, bool | None]:
    """The decoded body, and whether it is whole; None if the coding was undone before."""
    out, sound, whole = decode(body, limit + 1)
    if len(out) > limit:
        raise TooManyBytes(f"body decodes to more than {limit} bytes")
    if out or sound:
        return out, whole
    if _MARKUP.match(body):
        return body, None
    raise UndecodableBody("nothing of the body can be decoded")


# Each decoder gives what comes before the end, damage or `limit`, whether there was no damage, and whether it is all.


def _gzip(body: bytes, limit: int) -> tuple[bytes, bool, bool]:
    if not body.startswith(b"\x1f\x8b"):
        return b"", False, False
    parts: list[bytes] = []
    left = limit
    sound = whole = True
    for _ in range(MAX_MEMBERS):  # each copies the rest of the body
        out, body, sound, whole = _inflate(body, left, 31)
        parts.append(out)
        left -= len(out)
        if not (body.startswith(b"\x1f\x8b") and left > 0 and sound):
            break
    return b"".join(parts), sound, whole


def _deflate(body: bytes, limit: int) -> tuple[bytes, bool, bool]:
    """With the zlib header that the RFC requires, or without, as some servers send it, or gzip after all."""
    if body.startswith(b"\x1f\x8b"):
        return _gzip(body, limit)
    out, _, sound, whole = _inflate(body, limit, zlib.MAX_WBITS)
    if out or sound:
        return out, sound, whole
    out, _, sound, whole = _inflate(body, limit, -zlib.MAX_WBITS)
    return (out, sound, whole) if sound else (_if_markup(out), False, False)


def _inflate(body: bytes, limit: int, wbits: int) -> tuple[bytes, bytes, bool, bool]:
    """Inflates a stream: its content, the bytes behind it, whether there was no damage, and whether it has its end."""
    inflater = zlib.decompressobj(wbits=wbits)
    try:
        out = inflater.decompress(body, limit)
    except zlib.error:
        return until_error(zlib.decompressobj(wbits=wbits), body, limit), b"", False, False
    return out, inflater.unused_data, True, inflater.eof


def _brotli(body: bytes, limit: int) -> tuple[bytes, bool, bool]:
    out, sound, whole = brotli_stream(body, limit)
    return out if sound else _if_markup(out), sound, whole


def _zstd(body: bytes, limit: int) -> tuple[bytes, bool, bool]:
    """All frames; what comes before the damaged or missing block of one."""
    window = Window(Raw("", io.BytesIO(body)))
    parts: list[bytes] = []
    left = limit
    end = End(0)
    while left > 0 and end.error is None and ZSTD.match(window.at(end.offset, 4)):
        pieces = zstd_frame(window, end.offset)
        while left > 0:
            try:
                parts.append(next(pieces))
            except StopIteration as stop:
                end = stop.value
                break
            left -= len(parts[-1])
    sound = end.cut or (end.error is None and ZSTD.match(body) is not None)
    return b"".join(parts)[:limit], sound, sound and not end.cut


def _if_markup(out: bytes) -> bytes:
    """Raw deflate and brotli have no magic number: what comes out before damage may be noise from a body that is
    neither."""
    return out if _MARKUP.match(out) else b""


_DECODERS = {"gzip": _gzip, "x-gzip": _gzip, "deflate": _deflate, "br": _brotli, "zstd": _zstd}

"""Turns the bytes of a page into text: finds the encoding from the byte order mark, declarations and the bytes.

Source: WHATWG Encoding Standard and the precedence of the HTML Standard, "determining the character encoding": byte
order mark, HTTP header, declaration in the page.
Choices beyond them: bytes that are valid UTF-8 are UTF-8 whatever is declared, because legacy text almost never is, and
so are bytes that are mostly valid, with U+FFFD for the others, which are counted. The judgement is on the visible text,
from all of the page. A declaration that cannot decode the bytes is ignored; one that can yields to a detector that sees
another encoding clearly; a lone Latin-1 label, which servers and editors add unasked, yields to one that sees another
script; the detector settles two declarations that disagree.
"""

import codecs
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from curation.text.charsets.damage import MIN_VALID, MIN_VALID_BESIDE, MIN_VALID_DECLARED, valid_share
from curation.text.charsets.detector import (
    CODECS,
    LATIN_1,
    MIN_TELLING,
    NO_LATIN_LETTERS,
    detected_escaped,
    detected_wide,
    fits,
    is_latin,
    null_side,
    ranked,
    telling_bytes,
)
from curation.text.charsets.evidence import visible
from curation.text.charsets.labels import codec_of

HEAD_BYTES = 4096  # searched for a declaration; the standard asks for 1024, real pages need more
MIN_NULLS = 8  # where less than an eighth of a page is NUL
# A declared encoding stays from this share of the best one's confidence on. What is declared rightly has at least 0.99,
# what is declared wrongly at most 0.35, or it reads nearly all of the text as the right one does (measured 2026-11).
MIN_CONFIDENCE = 0.5
MIN_CONFIDENCE_LATIN_1 = 0.7  # Polish has up to 0.54

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEADER = re.compile(r"charset\s*=\s*+(?:[\"']\s*+)?([^\s\"';,]+)", re.IGNORECASE)
_PAGE = re.compile(
    rb"<!--.*?-->"
    rb"|<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']([^\"']{1,40})"
    rb"|<meta\s[^>]{0,500}?charset\s*=\s*[\"']?\s*([^\s\"'/>;]{1,40})",
    re.IGNORECASE | re.DOTALL,
)

Declared = list[tuple[str, str]]


class DecodedPage(NamedTuple):
    """A page as text, the Python codec that decoded it, what decided (bom, header, meta or bytes), and how many U+FFFD
    stand for what could not be decoded."""

    text: str
    encoding: str
    source: str
    replaced: int = 0


def decode(content: bytes, content_type: str | None = None) -> DecodedPage:
    """Text of a page under its `Content-Type` header; never fails, undecodable bytes become U+FFFD.

    The encoding is a Python codec name. Empty content is UTF-8.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _decoded(content[len(mark) :], encoding, "bom")
    declared = _declarations(content, content_type)
    if _is_wide(content):
        return _decode_wide(content, declared)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        return _decode_invalid(content, declared, error)
    if "\x1b" in text and text.isascii():
        return _decode_escaped(content, declared)
    return DecodedPage(text, "utf-8", _source_of("utf-8", declared))


def _decoded(content: bytes, codec: str, source: str) -> DecodedPage:
    """The page by a codec, with a count of the U+FFFD that are not written in it."""
    text = content.decode(codec, "replace")
    replaced = text.count("\ufffd")
    if replaced and codec == "utf-8":
        replaced -= content.count("\ufffd".encode())
    return DecodedPage(text, codec, source, replaced)


def _declarations(content: bytes, content_type: str | None) -> Declared:
    """(codec, header | meta) as declared, the header first; unknown labels are left out."""
    declared = []
    header = _HEADER.search(content_type) if content_type else None
    if header and (codec := codec_of(header[1])):
        declared.append((codec, "header"))
    labels = (match[1] or match[2] for match in _PAGE.finditer(content[:HEAD_BYTES]) if match.lastindex)
    for label in labels:
        codec = codec_of(label.decode("ascii", "replace"))
        if codec and _reads_ascii(codec):
            return [*declared, (codec, "meta")]
    return declared


@lru_cache(maxsize=256)
def _reads_ascii(codec: str) -> bool:
    """False for UTF-16, EBCDIC and the like: a declaration that was read as ASCII cannot be in them."""
    probe = b"<meta charset=\"'AZaz09/>"
    return probe.decode(codec, "replace") == probe.decode("ascii")


def _source_of(codec: str, declared: Declared) -> str:
    return next((source for name, source in declared if name == codec), "bytes")


def _is_wide(content: bytes) -> bool:
    """Whether the NULs show that this is UTF-16 or UTF-32 without a mark: there are many, or nearly all are in every
    second byte, as those of the markup and spaces between letters of another script than Latin."""
    head = content[:HEAD_BYTES]
    nulls = head.count(0)
    return nulls * 8 > len(head) or (nulls >= MIN_NULLS and nulls * 64 > len(head) and null_side(head) is not None)


def _decode_wide(content: bytes, declared: Declared) -> DecodedPage:
    wide = next((codec for codec, _ in declared if codec.startswith(("utf-16", "utf-32"))), None)
    if wide in ("utf-16", "utf-32"):  # of which order, the label leaves open
        return _decoded(content, detected_wide(content[:HEAD_BYTES]) or wide, _source_of(wide, declared))
    codec = wide or detected_wide(content[:HEAD_BYTES]) or "utf-8"
    return _decoded(content, codec, _source_of(codec, declared))


def _decode_escaped(content: bytes, declared: Declared) -> DecodedPage:
    """ASCII bytes with escapes: ISO 2022 if declared or detected, otherwise plain ASCII."""
    codec = next((codec for codec, _ in declared if codec.startswith("iso2022")), None)
    codec = codec or detected_escaped(content) or "utf-8"
    return _decoded(content, codec, _source_of(codec, declared))


def _decode_invalid(content: bytes, declared: Declared, error: UnicodeDecodeError) -> DecodedPage:
    """Bytes that are not valid UTF-8."""
    text = visible(content)
    fitting = [(codec, source) for codec, source in declared if codec != "utf-8" and fits(content, codec)]
    if any(codec == "utf-8" for codec, _ in declared):
        is_cut = error.end == len(content) and error.reason == "unexpected end of data"
        is_damaged = is_cut or _valid_share(content, text) >= MIN_VALID_DECLARED
    else:
        is_damaged = (valid_share(text) or 0) >= (MIN_VALID_BESIDE if fitting else MIN_VALID)
    if is_damaged:
        return _decoded(content, "utf-8", _source_of("utf-8", declared))
    return _decoded(content, *_settle(fitting, text))


def _valid_share(content: bytes, text: bytes) -> float:
    """Share of valid sequences in the text; if that is nearly all ASCII, the larger share of text and page."""
    share = valid_share(text) or 0
    return max(share, valid_share(content) or 0) if telling_bytes(text) < MIN_TELLING else share


def _settle(fitting: Declared, text: bytes) -> tuple[str, str]:
    """Codec and source, from the declarations that fit and the detector's judgement of the text."""
    if telling_bytes(text) < MIN_TELLING:
        fitting = [pair for pair in fitting if not (pair[0] in NO_LATIN_LETTERS and is_latin(text))]
        if fitting:
            return fitting[0]
    scores = ranked(text)
    if not scores:
        return fitting[0] if fitting else (LATIN_1, "bytes")
    guess = next(iter(scores))
    agreed = [pair for pair in fitting if _agrees(pair[0], guess, scores)]
    return max(agreed, key=lambda pair: scores.get(pair[0], 0)) if agreed else (guess, "bytes")


def _agrees(codec: str, guess: str, scores: Mapping[str, float]) -> bool:
    """Whether a declared codec may stand beside the detector's guess; what the detector does not know may."""
    if codec == LATIN_1:
        return guess == codec or (guess != "iso8859-15" and scores.get(codec, 0) >= MIN_CONFIDENCE_LATIN_1)
    return codec not in CODECS or scores.get(codec, 0) >= MIN_CONFIDENCE

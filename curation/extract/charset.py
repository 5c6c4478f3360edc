"""Turns the bytes of a page into text: finds the encoding from the byte order mark, declarations and the bytes.

Source: WHATWG Encoding Standard (labels stand for their Windows or vendor superset) and the precedence of the HTML
Standard, "determining the character encoding": byte order mark, HTTP header, declaration in the page.
Choices beyond them: bytes that are valid UTF-8 are UTF-8 whatever is declared, because legacy text almost never is; a
declaration that cannot decode the bytes is ignored; a lone Latin-1 label, which servers and editors add unasked, yields
to a detector that sees another script; the detector settles two declarations that disagree.
"""

import codecs
import re
from functools import lru_cache
from typing import NamedTuple

import chardet

HEAD_BYTES = 4096  # searched for a declaration; the standard asks for 1024, real pages need more
WINDOW_BYTES = 32768  # read by the detector, from shortly before the first byte that is not UTF-8
MAX_DAMAGE = 0.2  # of non-ASCII characters: up to this share of broken ones, bytes are damaged UTF-8
MAX_REPLACED = 0.01  # of non-ASCII characters: up to this share of undecodable ones, a multi-byte encoding fits
DETECTED = chardet.EncodingEra.ALL & ~chardet.EncodingEra.MAINFRAME  # a page is never EBCDIC

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SUPERSET = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
}
_TEXT_CODEC = re.compile(
    r"utf-(8|16|32)(-[lb]e)?|(cp|iso8859|iso2022|koi8|mac|euc|big5|gb|hz|shift_jis|johab|tis|kz).*"
)
_MULTIBYTE = re.compile(r"utf|gb|big5|euc|shift|iso2022|johab|hz|cp9(32|49|50)")
_WESTERN = re.compile(
    r"cp(125[0247]|437|85[0-28])|iso8859-([1-4]|9|1[03456])|mac-?(roman|latin2|iceland|turkish)|hp-roman8"
)
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)
_PAGE = re.compile(
    rb"<!--.*?-->"
    rb"|<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']([^\"']{1,40})"
    rb"|<meta\s[^>]{0,500}?charset\s*=\s*[\"']?\s*([^\s\"'/>;]{1,40})",
    re.IGNORECASE | re.DOTALL,
)
_ASCII = bytes(range(128))
_HIGH = bytes(range(128, 256))
_CONTROLS = re.compile("[\x80-\x84\x86-\x9f]")  # without U+0085, the line break of EBCDIC converters
# `detect` blanks this out, so that it does not believe a declaration that was refused.
LABEL = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?[-\w:. ]{1,40}", re.IGNORECASE)


class DecodedPage(NamedTuple):
    """A page as text, the Python codec that decoded it, and what decided: bom, header, meta or bytes."""

    text: str
    encoding: str
    source: str


def decode(content: bytes, content_type: str | None = None) -> DecodedPage:
    """Text of a page under its `Content-Type` header; never fails, undecodable bytes become U+FFFD.

    The encoding is a Python codec name. Empty content is UTF-8.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return DecodedPage(content[len(mark) :].decode(encoding, "replace"), encoding, "bom")
    declared = _declarations(content, content_type)
    if _is_wide(content):
        return _decode_wide(content, declared)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        return _decode_legacy(content, declared, error.start)
    if "\x1b" in text and text.isascii():
        return _decode_escaped(content, declared)
    return DecodedPage(text, "utf-8", _source_of("utf-8", declared))


def detect(content: bytes) -> str | None:
    """Codec of the bytes alone, without declarations; None if the detector sees no text."""
    guess = chardet.detect(LABEL.sub(b"", content), encoding_era=DETECTED)["encoding"]
    codec = codec_of(guess) if guess else None
    # The superset of a guess is not always right: ISO 8859-2 text may hold bytes that its superset lacks.
    return codec if codec is None or _fits(content, codec) else codecs.lookup(str(guess)).name


@lru_cache(maxsize=1024)
def codec_of(label: str) -> str | None:
    """The Python codec that the web means by a label; None if the label names no text encoding."""
    name = re.sub(r"^(x-)+", "", label.strip().strip("\"'").lower())
    name = re.sub(r"^(windows|win|cp|dos|ibm)[-_]?(?=\d)", "cp", name)
    name = re.sub(r"^(iso-8859-8)-[ie]$", r"\1", name).removesuffix("mb4")
    try:
        codec = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    codec = _SUPERSET.get(codec, codec)
    return codec if _TEXT_CODEC.fullmatch(codec) else None


def _declarations(content: bytes, content_type: str | None) -> list[tuple[str, str]]:
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


def _source_of(codec: str, declared: list[tuple[str, str]]) -> str:
    return next((source for name, source in declared if name == codec), "bytes")


def _is_wide(content: bytes) -> bool:
    """Whether there are so many NULs that this is UTF-16 or UTF-32 without a mark."""
    head = content[:HEAD_BYTES]
    return head.count(0) * 8 > len(head)


def _decode_wide(content: bytes, declared: list[tuple[str, str]]) -> DecodedPage:
    wide = next((codec for codec, _ in declared if codec.startswith(("utf-16", "utf-32"))), None)
    codec = wide or codec_of(chardet.detect(content[:HEAD_BYTES], encoding_era=DETECTED)["encoding"] or "") or "utf-8"
    return DecodedPage(content.decode(codec, "replace"), codec, _source_of(codec, declared))


def _decode_escaped(content: bytes, declared: list[tuple[str, str]]) -> DecodedPage:
    """ASCII bytes with escapes: ISO 2022 if declared or detected, otherwise plain ASCII."""
    codec = next((codec for codec, _ in declared if codec.startswith("iso2022")), None) or detect(
        content[:WINDOW_BYTES]
    )
    if codec is None or not codec.startswith("iso2022"):
        codec = "utf-8"
    return DecodedPage(content.decode(codec, "replace"), codec, _source_of(codec, declared))


def _decode_legacy(content: bytes, declared: list[tuple[str, str]], first: int) -> DecodedPage:
    """Bytes that are not valid UTF-8 from position `first` on."""
    start = max(0, first - HEAD_BYTES)
    window = content[start : start + WINDOW_BYTES]
    if _is_damaged_utf8(window):
        return DecodedPage(content.decode("utf-8", "replace"), "utf-8", _source_of("utf-8", declared))
    fitting = [(codec, source) for codec, source in declared if codec != "utf-8" and _fits(content, codec)]
    codec, source = _settle(fitting, window)
    return DecodedPage(content.decode(codec, "replace"), codec, source)


def _settle(fitting: list[tuple[str, str]], window: bytes) -> tuple[str, str]:
    """Codec and source from the declarations that fit, asking the detector where they are weak."""
    codecs_declared = {codec for codec, _ in fitting}
    if len(codecs_declared) == 1 and codecs_declared != {"cp1252"}:
        return fitting[0]
    guess = detect(window)
    if not fitting:
        return guess or "cp1252", "bytes"
    if guess in codecs_declared:
        return next(pair for pair in fitting if pair[0] == guess)
    if codecs_declared == {"cp1252"} and guess and not _WESTERN.fullmatch(guess):
        return guess, "bytes"
    return fitting[0]


def _is_damaged_utf8(window: bytes) -> bool:
    text = window.decode("utf-8", "replace")
    return text.count("\ufffd") <= MAX_DAMAGE * (len(text) - _ascii_bytes(window))


def _fits(content: bytes, codec: str) -> bool:
    """Whether the bytes decode without C1 controls, or nearly so in a multi-byte encoding."""
    if _MULTIBYTE.match(codec):
        text = content.decode(codec, "replace")
        return text.count("\ufffd") <= MAX_REPLACED * (len(text) - _ascii_bytes(content))
    distinct = bytes(sorted(set(content.translate(None, _ASCII))))
    try:
        return not _CONTROLS.search(distinct.decode(codec))
    except UnicodeDecodeError:
        return False


def _ascii_bytes(content: bytes) -> int:
    return len(content.translate(None, _HIGH))

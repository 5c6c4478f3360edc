"""Bytes of a document as its text."""

import codecs

from curation.core.protocols import ReadTally
from curation.text.charsets.detector import detected, null_side

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16's, which it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE_NULS = 0.1  # of the bytes of UTF-16 without a mark, at least: a few may be in any file
WINDOWS = "cp1252"  # of text that is not UTF-8, where it is too short to tell more


def decoded(content: bytes, tally: ReadTally) -> str:
    """Bytes that are not UTF-8 become U+FFFD; a document with some is counted (`lenient.invalid_utf8`)."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        tally.records["lenient.invalid_utf8"] += 1
        return content.decode("utf-8", "replace")


def judged(content: bytes, tally: ReadTally) -> str:
    """Text that says nothing of its encoding. What is clearly in another one than UTF-8 is read by that and counted
    (`lenient.charset`); otherwise as `decoded` does."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        codec = detected(content)
    if codec is None or codec == "utf-8":
        return decoded(content, tally)
    tally.records["lenient.charset"] += 1
    return content.decode(codec, "replace")


def legacy(content: bytes) -> str:
    """Bytes that are not valid UTF-8, by the encoding that they seem to be in, else Windows-1252."""
    return content.decode(detected(content) or WINDOWS, "replace")


def wide_codec(start: bytes) -> str | None:
    """UTF-16 or UTF-32 where a file that begins so is in it, by its byte order mark or its NULs; otherwise None."""
    marked = next((codec for mark, codec in _MARKS if start.startswith(mark)), None)
    if marked or start.count(0) < max(_WIDE_NULS * len(start), 1):
        return marked
    return null_side(start)

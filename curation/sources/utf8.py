"""Bytes of a document as its text."""

from curation.core.protocols import ReadTally
from curation.text.charsets.detector import detected

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

"""Bytes of a document as its text."""

from curation.core.protocols import ReadTally


def decoded(content: bytes, tally: ReadTally) -> str:
    """Bytes that are not UTF-8 become U+FFFD; a document with some is counted (`lenient.invalid_utf8`)."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        tally.records["lenient.invalid_utf8"] += 1
        return content.decode("utf-8", "replace")

"""The causes of a missing end: those that archives state come first, and each is there once."""

from curation.core.truncation import CAUSES, STATED


def test_the_causes() -> None:
    assert STATED == ("length", "time", "disconnect", "unspecified")
    assert CAUSES[4:] == ("content_encoding", "chunked", "content_length")
    assert CAUSES[:4] == STATED

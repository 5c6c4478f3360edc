"""Which causes drop a page, and that whole pages are kept."""

import pytest

from curation.core.errors import RecipeError
from curation.filters.truncation import Truncation
from tests.support import documents, table, verdict


@table(
    ("cause", "reason"),
    {
        "whole": (None, None),
        "too long for the crawler": ("length", "cause:not_in"),
        "too slow for the crawler": ("time", "cause:not_in"),
        "disconnected": ("disconnect", "cause:not_in"),
        "for a reason that is not known": ("unspecified", "cause:not_in"),
        "cut compression": ("content_encoding", "cause:not_in"),
        "cut chunks": ("chunked", "cause:not_in"),
        "shorter than stated": ("content_length", "cause:not_in"),
    },
)
def test_every_cause_drops_by_default(cause: str | None, reason: str | None) -> None:
    assert verdict(Truncation(), "text", truncated=cause) == reason


def test_causes_that_are_not_named_keep_a_page() -> None:
    some = Truncation(drop=("length",))
    assert verdict(some, "text", truncated="length") == "cause:not_in"
    assert verdict(some, "text", truncated="time") is None
    assert verdict(some, "text", truncated=None) is None


def test_signals() -> None:
    (cause,) = Truncation().measure(documents("a", "b", truncated=["chunked", None])).values()
    assert cause.to_pylist() == ["chunked", "whole"]


def test_no_cause_at_all() -> None:
    with pytest.raises(RecipeError, match="drop is empty"):
        Truncation(drop=())

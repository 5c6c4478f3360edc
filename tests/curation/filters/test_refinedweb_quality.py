"""Penedo et al. 2023: the share of words that the line rules took, at its limit and one word past it."""

import pytest

from curation.filters.refinedweb_quality import RefinedwebQuality
from curation.rewrite.refinedweb_lines import RefinedwebLines
from tests.support import documents, verdict


@pytest.mark.parametrize(
    ("words", "removed", "reason"),
    [
        pytest.param(100, 0, None, id="none"),
        pytest.param(100, 5, None, id="5 of 100"),
        pytest.param(100, 6, "removed_words:high", id="6 of 100"),
        pytest.param(1, 1, "removed_words:high", id="all"),
        pytest.param(0, 0, None, id="there was none"),
    ],
)
def test_limit(words: int, removed: int, reason: str | None) -> None:
    counts = {"words": words, "words_removed": removed}
    assert verdict(RefinedwebQuality(), "text", refinedweb_lines=counts) == reason


def test_what_was_not_counted_is_unmeasured() -> None:
    counts = {"words": None, "words_removed": None}
    batch = documents("text", refinedweb_lines=[{"words": 1, "words_removed": 0}]).schema
    made = documents("text", "more", refinedweb_lines=[counts, {"words": 2, "words_removed": 1}])
    assert made.schema == batch
    assert RefinedwebQuality().measure(made)["removed_words"].to_pylist() == [None, 0.5]


def test_it_reads_what_the_rewriter_counts() -> None:
    _, counts = RefinedwebLines().rewrite(documents("one two three\nword"))
    row = {name: count[0].as_py() for name, count in counts.items()}
    measured = RefinedwebQuality().measure(documents("one two three", refinedweb_lines=[row]))
    assert measured["removed_words"].to_pylist() == [0.25]

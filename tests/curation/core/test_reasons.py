"""Drop reasons: what each writer writes the parser reads, and nothing else is one."""

import pytest

from curation.core.reasons import TAKEDOWN, duplicate_reason, error_reason, extract_reason, rule_reason
from curation.core.rules import SIDES
from tests.drop_reasons import Reason, parse


class Odd2Error(Exception):
    """An exception with a digit in its name."""


@pytest.mark.parametrize("side", SIDES)
def test_a_rule(side: str) -> None:
    reason = rule_reason("gopher_quality", f"words:{side}")
    assert reason == f"gopher_quality.words:{side}"
    assert parse(reason) == Reason("rule", "gopher_quality", f"words:{side}")


@pytest.mark.parametrize(
    ("written", "text", "parsed"),
    [
        (duplicate_reason("exact"), "dedup.exact:duplicate", Reason("dedup", "exact", "duplicate")),
        (extract_reason("no_text"), "extract:no_text", Reason("extract", "extract", "no_text")),
        (
            error_reason("language", ValueError("x")),
            "error.language.ValueError",
            Reason("error", "language", "ValueError"),
        ),
        (error_reason("c4", Odd2Error()), "error.c4.Odd2Error", Reason("error", "c4", "Odd2Error")),
        (TAKEDOWN, "takedown", Reason("takedown", "takedown", "")),
        (rule_reason("language", "label:not_in"), "language.label:not_in", Reason("rule", "language", "label:not_in")),
        (
            rule_reason("gopher_repetition", "top_2gram_characters:high"),
            "gopher_repetition.top_2gram_characters:high",
            Reason("rule", "gopher_repetition", "top_2gram_characters:high"),
        ),
    ],
)
def test_round_trip(written: str, text: str, parsed: Reason) -> None:
    assert written == text
    assert parse(text) == parsed


@pytest.mark.parametrize(
    "text",
    [
        "",
        "gopher_quality",
        "gopher_quality.words",
        "gopher_quality.words:wrong",
        "gopher_quality.words:low ",
        "gopher_quality.words:low\n",
        "Gopher.words:low",
        "2gram.words:low",
        "a.b.c:low",
        "dedup.exact",
        "dedup.exact:copy",
        "extract:",
        "extract.no_text",
        "error.language",
        "error.language.Value Error",
        "takedown:",
        "takedown.copy",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a drop reason"):
        parse(text)

"""The funnel's lines: reasons, counts, warnings, packs and takedowns."""

from typing import Any

import pytest

from curation.account.funnel import Funnel, PackedSource, StageLine
from curation.core.verbs import VERBS
from pipelines.render.funnel import funnel
from tests.pipelines.render.printed import cells, printed


def line(name: str, verb: str, rows: int = 0, never_fired: int = 0, **changes: Any) -> StageLine:
    """A stage that kept nothing of `rows` documents, with so many limits that never fired."""
    none = 0 if VERBS[verb].documents else None
    values: dict[str, Any] = dict.fromkeys(("rows", "kept", "text_bytes", "kept_text_bytes"), none)
    values |= {"rows": rows or none, "tokens": 0 if VERBS[verb].encodes else None, "seconds": 0}
    values |= {"dropped": {}, "counts": {}, "parsers": {}, "warnings": (), "folder": name} | changes
    limits = tuple(f"set.signal{i} (low)" for i in range(1, never_fired + 1))
    return StageLine(name=name, verb=VERBS[verb], never_fired=limits, **values)


def shown(*lines: StageLine) -> list[str]:
    return printed(funnel, Funnel("run", True, lines, {}))


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        pytest.param(1, "1 limit dropped nothing: set.signal1 (low)", id="one"),
        pytest.param(
            3, "3 limits dropped nothing: set.signal1 (low), set.signal2 (low), set.signal3 (low)", id="all named"
        ),
        pytest.param(
            4,
            "4 limits dropped nothing: set.signal1 (low), set.signal2 (low), set.signal3 (low), … and 1 more "
            "(--json names them)",
            id="one more",
        ),
    ],
)
def test_limits_that_never_fired_are_one_line_for_a_stage(limits: int, text: str) -> None:
    assert shown(line("gopher", "filter", 5, limits))[-1] == f"gopher: {text}"


def test_what_was_read_leniently_is_not_among_what_was_passed_over() -> None:
    counts = {"lenient.media_type": 3000, "skipped.request": 20, "skipped.status.404": 1, "skipped.id": 0}
    counts["faults.unlisted"] = 9
    lines = shown(line("extract", "read", 5, counts=counts))
    assert lines[-2:] == [
        "extract made no rows of: skipped.request 20, skipped.status.404 1",
        "extract read leniently: lenient.media_type 3,000",
    ]


def test_a_reason_that_few_expect_is_explained() -> None:
    dropped = {"perplexity.perplexity:low": 170, "gopher_quality.words:low": 3}
    lines = shown(line("judged", "filter", 200, dropped=dropped))
    words = "a language model predicts the text too easily: boilerplate, templates, repetition"
    assert lines[-2:] == [
        f"       170  judged: perplexity.perplexity:low  ({words})",
        "         3  judged: gopher_quality.words:low",
    ]


def test_documents_without_their_end_have_a_line_of_their_own() -> None:
    lines = shown(line("extract", "read", 5, counts={"truncated.length": 3, "truncated.chunked": 1}))
    assert lines[-1] == "extract found without their end: truncated.length 3, truncated.chunked 1"


def test_no_line_where_every_limit_fired() -> None:
    assert not any("dropped nothing" in one for one in shown(line("gopher", "filter", 5)))


def test_a_stage_of_documents_shows_noughts_and_others_nothing() -> None:
    stages = [line("gopher", "filter"), line("tokenize", "tokenize"), line("pack", "pack")]
    found = {row[0]: row[1:] for row in cells(shown(*stages))}
    assert found["gopher"] == ["0", "0", "0", "0.0", "0.0", "", "0.0"]
    assert found["tokenize"] == ["0", "0", "0", "0.0", "0.0", "0", "0.0"]
    assert found["pack"] == ["", "", "", "", "", "", "0.0"]


def test_one_reason_too_many_is_named_and_more_are_summed() -> None:
    reasons = {f"a.b{i}:low": 10 - i for i in range(6)}
    assert shown(line("gopher", "filter", 45, dropped=reasons))[-1].strip() == "5  gopher: a.b5:low"
    more = shown(line("gopher", "filter", 49, dropped={**reasons, "a.b6:low": 4}))
    assert more[-1].strip() == "9  gopher: 2 others"


def test_pages_of_a_cascade_by_parser() -> None:
    made = line("extract", "read", 1300, parsers={"fast": 1200, "slow": 100})
    assert shown(made)[-1] == "extract pages by their last parser: fast 1,200, slow 100"


def packed(count: int) -> list[str]:
    """The lines below the table for so many sources."""
    packs = tuple(PackedSource("pack", "best_fit", f"web/{i}", 10, 50, 1, 7, 2) for i in range(count))
    below = printed(funnel, Funnel("run", True, (line("pack", "pack"),), {"train": 49}, packs))
    return below[below.index("packed tokens: 49 (49 train)") + 1 :]


def test_what_packing_wasted_and_cut() -> None:
    text = "pack (best_fit) web/0: 10 rows, 2.00 % padding; 2 of 7 documents cut"
    assert packed(1) == [text]
    assert len(packed(12)) == 12
    assert packed(13)[12:] == ["… and 1 more source (--json names them)"]


@pytest.mark.parametrize(
    ("finished", "lines"),
    [
        (True, ["taken down: 2 documents, still counted by stages and mixes sealed before"]),
        (
            False,
            [
                "taken down: 2 documents, still counted by stages and mixes sealed before",
                "warning: a takedown was cut off; run the same `winnow takedown` again",
            ],
        ),
    ],
)
def test_takedowns(finished: bool, lines: list[str]) -> None:
    assert (
        printed(funnel, Funnel("run", True, (), {}, taken_down=2, takedowns_finished=finished))[-len(lines) :] == lines
    )

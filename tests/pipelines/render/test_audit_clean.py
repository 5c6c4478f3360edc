"""The table of good documents lost: shares of all that was given, the limits that cost most first."""

from curation.account.audit.losses.report import Amount, ChainLoss, CleanAudit, GroupLoss, LimitLoss, StageLoss
from pipelines.render.audit_clean import losses
from tests.pipelines.render.printed import printed

NONE = Amount()
LIMITS = (
    LimitLoss(
        "gopher_quality.words:low", 50, Amount(10, 100), Amount(5, 50), Amount(10, 100), {"talk": Amount(10, 100)}
    ),
    LimitLoss("language.label:not_in", ("en", "de"), Amount(2, 4000), NONE, Amount(2, 4000), {"book": Amount(2, 4000)}),
)
STAGES = (
    StageLoss("gopher", "filter", Amount(200, 10_000), Amount(12, 4100), Amount(12, 4100), LIMITS),
    StageLoss(
        "c4_lines",
        "rewrite",
        Amount(188, 5900),
        Amount(0, 1000),
        Amount(0, 900),
        (LimitLoss("c4_lines", None, Amount(90, 1000), NONE, Amount(80, 900), {"book": Amount(90, 1000)}),),
    ),
)
GROUPS = (
    GroupLoss("book", Amount(100, 8000), Amount(98, 3100)),
    GroupLoss("talk", Amount(100, 2000), Amount(90, 1900)),
)
REPORT = CleanAudit(
    "run",
    "good.jsonl",
    "words",
    "kind",
    (ChainLoss("web", Amount(200, 10_000), Amount(188, 5000), STAGES, GROUPS, ("dedup is left out",)),),
)


def cells(lines: list[str], name: str) -> list[str]:
    line = next(line for line in lines if name in line)
    return [cell.strip() for cell in line.strip("│┃ ").split("│")]


def test_every_share_is_of_what_was_given() -> None:
    lines = printed(losses, REPORT)
    assert (
        "good.jsonl, through web: 200 documents, 10,000 words; lost 6.0 % of documents and 50.0 % of tokens" in lines[0]
    )
    assert cells(lines, "words ≥ 50") == ["gopher_quality.words ≥ 50", "5.0", "1.0", "2.5", "0.5", "5.0", "1.0"]
    assert cells(lines, "label in") == ["language.label in en, de", "1.0", "40.0", "", "", "1.0", "40.0"]
    assert cells(lines, "│ gopher ") == ["gopher", "6.0", "41.0", "", "", "6.0", "41.0"]
    assert cells(lines, "│ c4_lines ") == ["c4_lines", "", "10.0", "", "", "", "9.0"]
    order = [next(n for n, line in enumerate(lines) if name in line) for name in ("label in", "words ≥ 50")]
    assert order == sorted(order)
    assert lines[-1] == "note: dedup is left out"


def test_each_group_with_the_limit_that_costs_most_of_it() -> None:
    lines = printed(losses, REPORT)
    assert cells(lines, "│ book ") == [*("book", "100", "8,000", "2.0", "61.2", "language.label in en, de: 50.0 %")]
    assert cells(lines, "│ talk ") == ["talk", "100", "2,000", "10.0", "5.0", "gopher_quality.words ≥ 50: 5.0 %"]

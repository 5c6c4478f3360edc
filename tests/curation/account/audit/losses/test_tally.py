"""Sums by hand: what a limit drops alone, what only it drops, and what it drops in the recipe's order."""

import numpy as np
import pyarrow as pa

from curation.account.audit.losses.report import Amount
from curation.account.audit.losses.tally import LossTally, TrackedDocuments, bounds_of
from curation.core.rules import Rule


def mask(*rows: int) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    found = np.zeros(4, np.bool_)
    found[list(rows)] = True
    return found


def tallied() -> LossTally:
    """Four documents of 1, 10, 100 and 1,000 tokens: the first stage drops 0 and 1, an edit cuts half of 2 and of 0,
    the last stage is broken by 1 and 3."""
    tally = LossTally(
        [("one", "filter"), ("edit", "rewrite"), ("two", "filter")],
        [{"a.words:low": 50, "a.words:high": 99}, {}, {"b.score:low": 0.5}],
    )
    portion = TrackedDocuments(tally, pa.array(["book", "talk", "book", "talk"]), np.array([1, 10, 100, 1000]))
    portion.arrive(0)
    portion.judged(0, {"a.words:low": mask(0, 1), "a.words:high": mask(0)}, pa.array(["a.words:low"] * 2 + [None] * 2))
    portion.arrive(1)
    portion.edited(1, "half", mask(0, 2), np.array([0, 10, 50, 1000]))
    portion.arrive(2)
    portion.judged(2, {"b.score:low": mask(1, 3)}, pa.array([None, "b.score:low", None, "b.score:low"]))
    portion.close()
    return tally


def test_the_whole_chain() -> None:
    loss = tallied().report("web", ["a note"])
    assert (loss.given, loss.kept) == (Amount(4, 1111), Amount(1, 50))
    assert [(group.group, group.given, group.kept) for group in loss.groups] == [
        ("talk", Amount(2, 1010), Amount(0, 0)),
        ("book", Amount(2, 101), Amount(1, 50)),
    ]
    assert loss.notes == ("a note",)


def test_stages_lose_what_adds_up() -> None:
    loss = tallied().report("web")
    assert [(stage.given, stage.every, stage.lost) for stage in loss.stages] == [
        (Amount(4, 1111), Amount(2, 11), Amount(2, 11)),
        (Amount(2, 1100), Amount(0, 51), Amount(0, 50)),
        (Amount(2, 1050), Amount(2, 1010), Amount(1, 1000)),
    ]
    lost = sum(stage.lost.tokens for stage in loss.stages)
    assert loss.given.tokens - lost == loss.kept.tokens


def test_a_limit_alone_only_and_in_order() -> None:
    first, edit, second = (stage.limits for stage in tallied().report("web").stages)
    low, high = first
    assert (low.limit, low.bound, high.bound) == ("a.words:low", 50, 99)
    assert (low.alone, low.only, low.first) == (Amount(2, 11), Amount(), Amount(2, 11))  # 1 breaks b.score too
    assert (high.alone, high.only, high.first) == (Amount(1, 1), Amount(), Amount())
    assert low.groups == {"talk": Amount(1, 10), "book": Amount(1, 1)}
    (half,) = edit
    assert (half.limit, half.bound, half.alone, half.first) == ("half", None, Amount(2, 51), Amount(1, 50))
    (score,) = second
    assert (score.alone, score.only, score.first) == (Amount(2, 1010), Amount(1, 1000), Amount(1, 1000))


def test_portions_add_up() -> None:
    tally = tallied()
    portion = TrackedDocuments(tally, pa.array(["book"]), np.array([7]))
    for stage in range(3):
        portion.arrive(stage)
    portion.close()
    loss = tally.report("web")
    assert (loss.given, loss.kept) == (Amount(5, 1118), Amount(2, 57))
    assert loss.stages[2].given == Amount(3, 1057)


def test_a_reason_that_is_no_limit_counts_too() -> None:
    tally = LossTally([("dedup", "dedup")], [{}])
    portion = TrackedDocuments(tally, pa.array(["a", "a"]), np.array([3, 4]))
    portion.arrive(0)
    portion.judged(0, {}, pa.array([None, "dedup.exact:duplicate"]))
    portion.close()
    (stage,) = tally.report("web").stages
    (limit,) = stage.limits
    assert (limit.limit, limit.alone, limit.only, limit.first) == ("dedup.exact:duplicate", *[Amount(1, 4)] * 3)


def test_bounds_by_limit() -> None:
    rules = [
        ("a", Rule("words", at_least=50, but=("de",))),
        ("a", Rule("words", at_least=30, only=("de",))),
        ("b", Rule("label", one_of=("en",))),
    ]
    assert bounds_of(rules) == {"a.words:low": 50, "b.label:not_in": ("en",)}

"""Rules follow from declared limits and the values of options; impossible values are told at their option."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, nan
from typing import Any, ClassVar

import pyarrow as pa

from curation.core.by_language import ByLanguage
from curation.core.filter import Filter, decides, impossible, limit_of, made
from curation.core.limits import COUNTS, SHARES, Limit
from curation.core.rules import Rule
from tests.support import table


@dataclass(frozen=True, kw_only=True)
class Judge(Filter):
    """Has limits of every kind."""

    variant: str = "paper"
    min_words: int = 5
    max_words: int = 100
    min_length: float | None = None
    max_length: float | None = None
    max_depth: float = 9.0
    max_marks: float = inf
    labels: tuple[str, ...] = ()
    min_score: float = 0.65
    min_scores: Mapping[str, float] = field(default_factory=dict)

    version: ClassVar[int] = 1
    reads: ClassVar[tuple[str, ...]] = ("text",)
    limits: ClassVar[tuple[Limit, ...]] = (
        Limit("words", least="min_words", most="max_words", between=COUNTS),
        Limit("length", least="min_length", unset=3.0, when={"variant": ("paper",)}),
        Limit("median_length", least="min_length", most="max_length", when={"variant": ("dolma",)}),
        Limit("depth", most="max_depth", but=("whole",), by="judge.state"),
        Limit("marks", most="max_marks"),
        Limit("label", one_of="labels"),
        Limit("score", least="min_score", each="min_scores", between=SHARES),
        Limit("listed", most=0),
    )
    deciding: ClassVar[tuple[str, ...]] = ("variant",)

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        return {}


USUAL = (
    Rule("words", 5, 100),
    Rule("length", 3.0),
    Rule("depth", at_most=9.0, but=("whole",), by="judge.state"),
    Rule("score", 0.65),
    Rule("listed", at_most=0),
)


def test_the_rules_of_the_defaults() -> None:
    """Those whose option is infinite, None or an empty list by default are left out."""
    assert Judge().rules() == USUAL
    assert [rule.signal for rule in made(Judge())] == [
        "words", "length", "depth", "marks", "label", "score", "listed"
    ]  # fmt: skip


@table(
    ("options", "signal", "expected"),
    {
        "given instead of unset": ({"min_length": 2.0}, "length", [Rule("length", 2.0)]),
        "it does not hold": ({"variant": "dolma"}, "length", []),
        "not given, and nothing for unset": ({"variant": "dolma"}, "median_length", []),
        "one side": ({"variant": "dolma", "max_length": 9.0}, "median_length", [Rule("median_length", at_most=9.0)]),
        "a list": ({"labels": ("a",)}, "label", [Rule("label", one_of=("a",))]),
        "one that is infinite by default": ({"max_marks": 2.0}, "marks", [Rule("marks", at_most=2.0)]),
        "values by language": (
            {"min_scores": {"de": 0.9}},
            "score",
            [Rule("score", 0.65, but=("de",)), Rule("score", 0.9, only=("de",))],
        ),
    },
)
def test_rules_of_options(options: dict[str, Any], signal: str, expected: list[Rule]) -> None:
    assert [rule for rule in Judge(**options).rules() if rule.signal == signal] == expected


def test_a_limit_that_is_lifted_though_its_default_is_not_stays_to_be_refused() -> None:
    lifted = [rule for rule in Judge(max_depth=inf).rules() if rule.signal == "depth"]
    assert [rule.can_fire() for rule in lifted] == [False]


def test_a_rule_knows_its_limit() -> None:
    assert [rule.limit for rule in Judge().rules()] == [
        limit for limit in Judge.limits if limit.signal in {rule.signal for rule in USUAL}
    ]


def test_the_limit_that_an_option_sets() -> None:
    for option, signal in (("min_words", "words"), ("min_length", "length"), ("min_score", "score")):
        limit = limit_of(Judge(), option)
        assert limit is not None
        assert (limit.signal, limit.least) == (signal, option)
    median = limit_of(Judge(variant="dolma"), "max_length")
    assert median is not None
    assert median.signal == "median_length"
    assert [limit_of(Judge(), option) for option in ("max_length", "variant", "labels", "min_scores", "none")] == [
        None
    ] * 5


def test_options_that_decide() -> None:
    assert [option for option in ("min_words", "labels", "min_scores", "variant") if decides(Judge(), option)] == [
        "min_words", "labels", "min_scores", "variant"
    ]  # fmt: skip
    assert not decides(Judge(), "max_length")
    assert decides(Judge(variant="dolma"), "max_length")
    assert not decides(Judge(), "none")


@dataclass(frozen=True, kw_only=True)
class Bounded(ByLanguage):
    """A share between two options, a count, and a signal that is named otherwise than its option."""

    min_share: float = 0.0
    max_share: float = 1.0
    min_words: float = 0
    min_scores: Mapping[str, float] = field(default_factory=dict)
    shortest: int = 3

    version: ClassVar[int] = 1
    reads: ClassVar[tuple[str, ...]] = ("text",)
    limits: ClassVar[tuple[Limit, ...]] = (
        Limit("share", least="min_share", most="max_share", between=SHARES),
        Limit("words", least="min_words", between=COUNTS),
        Limit("score", each="min_scores", between=SHARES),
        Limit("length", least="shortest", between=COUNTS),
    )

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        return {}


@table(
    ("part", "found"),
    {
        "limits at the ends of the range": (Bounded(), None),
        "lifted": (Bounded(max_share=inf, min_share=-inf, min_words=-inf), None),
        "percent": (
            Bounded(max_share=30),
            (("max_share",), "30 is impossible: a value of share lies between 0 and 1; 30 % is 0.3"),
        ),
        "one step too high": (
            Bounded(max_share=1.01),
            (("max_share",), "1.01 is impossible: a value of share lies between 0 and 1"),
        ),
        "one step too low": (
            Bounded(min_share=-0.01),
            (("min_share",), "-0.01 is impossible: a value of share lies between 0 and 1"),
        ),
        "nan": (Bounded(max_share=nan), (("max_share",), "nan is impossible: a value of share lies between 0 and 1")),
        "negative count": (Bounded(min_words=-1), (("min_words",), "-1 is impossible: a value of words is at least 0")),
        "endless count": (
            Bounded(min_words=inf),
            (("min_words",), "inf is impossible: a value of words is at least 0"),
        ),
        "least above most": (
            Bounded(min_share=0.5, max_share=0.25),
            (("min_share",), "0.5 is above max_share 0.25: nothing could be kept"),
        ),
        "least is most": (Bounded(min_share=0.5, max_share=0.5), None),
        "in one language": (
            Bounded(by_language={"de": {"max_share": 2}}),
            (("by_language", "de", "max_share"), "2 is impossible: a value of share lies between 0 and 1; 2 % is 0.02"),
        ),
        "a mapping by language": (
            Bounded(min_scores={"de": 65}),
            (("min_scores", "de"), "65 is impossible: a value of score lies between 0 and 1; 65 % is 0.65"),
        ),
        "an option named otherwise": (
            Bounded(shortest=-1),
            (("shortest",), "-1 is impossible: a value of length is at least 0"),
        ),
    },
)
def test_limits_that_cannot_be(part: Bounded, found: tuple[tuple[str, ...], str] | None) -> None:
    assert impossible(part) == found

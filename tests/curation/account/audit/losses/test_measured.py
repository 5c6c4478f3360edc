"""Documents go through filters and rewriters; a bad document costs itself; what cannot be read is left out and said."""

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from curation.account.audit.clean import words
from curation.account.audit.losses.measured import GROUP, MeasuredStage, losses
from curation.account.audit.losses.report import Amount, ChainLoss
from curation.core.component import Component, Signals
from curation.core.filter import Filter
from curation.core.limits import Limit
from curation.core.protocols import Rewriter
from curation.core.verbs import FILTER, REWRITE


@dataclass(frozen=True, kw_only=True)
class Length(Filter):
    """Bounds the characters; fails on the text "bad"."""

    at_least: int = 0
    reads: ClassVar[tuple[str, ...]] = ("text",)
    limits: ClassVar[tuple[Limit, ...]] = (Limit("characters", least="at_least"),)
    version: ClassVar[int] = 1

    def signal_types(self) -> Signals:
        return {"characters": pa.int64()}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        if "bad" in batch.column("text").to_pylist():
            raise ZeroDivisionError
        return {"characters": pc.utf8_length(batch.column("text")).cast(pa.int64())}


@dataclass(frozen=True, kw_only=True)
class FirstLine(Rewriter):
    """Cuts all lines but the first; fails on the text "worse"."""

    def signal_types(self) -> Signals:
        return {"lines": pa.int64()}

    def rewrite(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        texts = batch.column("text").to_pylist()
        if "worse" in texts:
            raise KeyError("worse")
        lines = pa.array([text.split("\n")[0] for text in texts], pa.large_string())
        return lines, {"lines": pa.array([text.count("\n") for text in texts], pa.int64())}


@dataclass(frozen=True, kw_only=True)
class CountsCuts(Filter):
    """Bounds the lines that FirstLine cut."""

    reads: ClassVar[tuple[str, ...]] = ("first_line",)
    limits: ClassVar[tuple[Limit, ...]] = (Limit("cut", most=1),)
    version: ClassVar[int] = 1

    def signal_types(self) -> Signals:
        return {"cut": pa.int64()}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        return {"cut": pc.struct_field(batch.column("first_line"), "lines")}


def step(name: str, **components: Component) -> MeasuredStage:
    verb = REWRITE if "first_line" in components else FILTER
    return MeasuredStage(name, verb, tuple(components.items()))


def lost(*steps: MeasuredStage, texts: list[str]) -> ChainLoss:
    batch = pa.RecordBatch.from_pydict(
        {GROUP: pa.array(["all"] * len(texts)), "text": pa.array(texts, pa.large_string())}
    )
    return losses("web", steps, [batch.slice(0, 1), batch.slice(1)], ["text"], words)


def test_a_later_stage_measures_what_an_earlier_one_drops_and_reads_the_edited_text() -> None:
    loss = lost(
        step("short", length=Length(at_least=4)),
        step("edit", first_line=FirstLine()),
        step("cuts", counts_cuts=CountsCuts(), again=Length(at_least=8)),
        texts=["a b", "one two three\nfour five", "x\ny\nz w", "long enough"],
    )
    short, edit, cuts = loss.stages
    assert [(limit.limit, limit.alone, limit.first) for limit in short.limits] == [
        ("length.characters:low", Amount(1, 2), Amount(1, 2))
    ]
    assert (edit.given, edit.every, edit.lost) == (Amount(3, 11), Amount(0, 5), Amount(0, 5))
    by_name = {limit.limit: limit for limit in cuts.limits}
    assert by_name["counts_cuts.cut:high"].alone == Amount(1, 1)  # "x", of which two lines were cut
    assert by_name["again.characters:low"].alone == Amount(2, 3)  # "a b", dropped before, and "x"
    assert by_name["again.characters:low"].first == Amount()
    assert (loss.given, loss.kept) == (Amount(4, 13), Amount(2, 5))


@pytest.mark.parametrize(
    ("components", "reason"),
    [
        pytest.param({"length": Length()}, "error.length.ZeroDivisionError", id="a filter that fails"),
        pytest.param({"first_line": FirstLine()}, "error.first_line.KeyError", id="a rewriter that fails"),
    ],
)
def test_a_bad_document_costs_itself(components: dict[str, Component], reason: str) -> None:
    loss = lost(step("one", **components), texts=["fine here", "bad", "worse", "fine"])
    (stage,) = loss.stages
    assert [(limit.limit, limit.alone, limit.only, limit.first) for limit in stage.limits] == [
        (reason, *[Amount(1, 1)] * 3)
    ]
    assert (stage.given, stage.lost) == (Amount(4, 5), Amount(1, 1))


def test_what_reads_a_missing_column_is_left_out() -> None:
    loss = lost(step("cuts", counts_cuts=CountsCuts(), length=Length(at_least=2)), texts=["a", "aa"])
    assert loss.notes == ("cuts: counts_cuts is left out, because it reads first_line",)
    assert loss.kept == Amount(1, 1)

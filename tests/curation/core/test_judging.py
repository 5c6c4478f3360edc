"""Signals become columns and limits reasons; a bad document costs only itself; documents beyond limits are counted."""

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.by_language import ByLanguage
from curation.core.component import Signals
from curation.core.filter import Filter
from curation.core.judging import count_fired, count_without_model, judge, struct_of
from curation.core.limits import Limit
from tests.support import documents


@dataclass(frozen=True, kw_only=True)
class Length(Filter):
    """Measures characters; fails on a batch that holds the text "bad"."""

    at_least: int = 2
    reads: ClassVar[tuple[str, ...]] = ("text",)
    limits: ClassVar[tuple[Limit, ...]] = (Limit("characters", least="at_least"),)
    version: ClassVar[int] = 1

    def signal_types(self) -> Signals:
        return {"characters": pa.int64()}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        if "bad" in batch.column("text").to_pylist():
            raise ZeroDivisionError("bad")
        return {"characters": pc.utf8_length(batch.column("text")).cast(pa.int64())}


def test_signals_and_the_first_reason() -> None:
    judged = judge((("short", Length(at_least=3)), ("shorter", Length(at_least=2))), documents("abcd", "ab", "a"))
    assert judged.column("drop_reason").to_pylist() == [None, "short.characters:low", "short.characters:low"]
    assert judged.column("shorter").to_pylist() == [{"characters": 4}, {"characters": 2}, {"characters": 1}]
    assert judged.schema.names[-3:] == ["short", "shorter", "drop_reason"]


def test_a_bad_document_costs_only_itself() -> None:
    texts = ["good"] * 5 + ["bad"] + ["x"] * 4 + ["bad"]
    judged = judge((("length", Length()),), documents(*texts))
    error = "error.length.ZeroDivisionError"
    low = "length.characters:low"
    assert judged.column("drop_reason").to_pylist() == [None] * 5 + [error] + [low] * 4 + [error]
    assert judged.column("length").to_pylist()[5] == {"characters": None}


def test_only_bad_documents() -> None:
    judged = judge((("length", Length()),), documents("bad"))
    assert judged.column("drop_reason").to_pylist() == ["error.length.ZeroDivisionError"]
    assert judged.schema.field("length").type == pa.struct([("characters", pa.int64())])


def test_fired_counts_documents_that_an_earlier_rule_dropped_too() -> None:
    filters = (("short", Length(at_least=3)), ("shorter", Length(at_least=2)))
    table = pa.Table.from_batches([judge(filters, documents("abcd", "ab", "a"))])
    fired: dict[str, int] = {}
    count_fired(filters, table, fired)
    assert fired["short.characters:low"] == 2
    assert fired["shorter.characters:low"] == 1


@dataclass(frozen=True, kw_only=True)
class English(ByLanguage):
    """Has a model for English alone."""

    reads: ClassVar[tuple[str, ...]] = ("text", "language")
    limits: ClassVar[tuple[Limit, ...]] = (Limit("score", least=3),)
    version: ClassVar[int] = 1

    def signal_types(self) -> Signals:
        return {"score": pa.int64()}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        english = pc.equal(pc.struct_field(batch.column("language"), "label"), "en")
        return {"score": pc.if_else(english, pc.utf8_length(batch.column("text")), None).cast(pa.int64())}

    def modelled(self) -> tuple[str, ...]:
        return ("en",)


def test_documents_that_a_filter_has_no_model_for_are_counted_by_language() -> None:
    """Neither measured nor limited; those that another filter drops do not count."""
    languages: list[object] = [{"label": label} for label in ("en", "en", "fr", "fr", None, "de")]
    batch = documents("abc", "a", "abcd", "ab", "ab", "x", language=languages)
    filters = (("english", English()), ("length", Length(at_least=2)))
    judged = pa.Table.from_batches([judge(filters, batch)])
    assert judged["drop_reason"].to_pylist() == [None, "english.score:low", None, None, None, "length.characters:low"]
    counts = {"no_model.english.fr": 1}
    count_without_model(filters, judged, counts)
    assert counts == {"no_model.english.fr": 3, "no_model.english.unknown": 1}


def test_a_column_of_signals() -> None:
    column = struct_of({"words": pa.array([1, 2])})
    assert column.to_pylist() == [{"words": 1}, {"words": 2}]

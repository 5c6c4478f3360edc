"""Signals, reasons and edits as columns; one bad document costs only itself."""

from dataclasses import dataclass
from typing import ClassVar, cast

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.by_language import ByLanguage
from curation.core.component import Keyed
from curation.core.filter import Filter
from curation.core.limits import Limit
from curation.engine import apply
from curation.engine.recipe.recipe import parse
from tests.support import documents


@dataclass(frozen=True, kw_only=True)
class Length(Filter):
    """Measures characters; fails on a batch that holds the text "bad"."""

    at_least: int = 2
    reads: ClassVar[tuple[str, ...]] = ("text",)
    limits: ClassVar[tuple[Limit, ...]] = (Limit("characters", least="at_least"),)
    version: ClassVar[int] = 1

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        if "bad" in batch.column("text").to_pylist():
            raise ZeroDivisionError("bad")
        return {"characters": pc.utf8_length(batch.column("text")).cast(pa.int64())}


@dataclass(frozen=True, kw_only=True)
class Upper:
    """Upper case; counts characters; fails like Length."""

    reads: ClassVar[tuple[str, ...]] = ("text",)
    version: ClassVar[int] = 1

    def rewrite(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        text = batch.column("text")
        if "bad" in text.to_pylist():
            raise KeyError("bad")
        return pc.utf8_upper(text), {"characters": pc.utf8_length(text).cast(pa.int64())}


def test_signals_and_the_first_reason() -> None:
    judged = apply.judge([("short", Length(at_least=3)), ("shorter", Length(at_least=2))], documents("abcd", "ab", "a"))
    assert judged.column("drop_reason").to_pylist() == [None, "short.characters:low", "short.characters:low"]
    assert judged.column("shorter").to_pylist() == [{"characters": 4}, {"characters": 2}, {"characters": 1}]
    assert judged.schema.names[-3:] == ["short", "shorter", "drop_reason"]


def test_a_bad_document_costs_only_itself() -> None:
    texts = ["good"] * 5 + ["bad"] + ["x"] * 4 + ["bad"]
    judged = apply.judge([("length", Length())], documents(*texts))
    error, low = "error.length.ZeroDivisionError", "length.characters:low"
    assert judged.column("drop_reason").to_pylist() == [None] * 5 + [error] + [low] * 4 + [error]
    assert judged.column("length").to_pylist()[5] == {"characters": None}


def test_only_bad_documents() -> None:
    judged = apply.judge([("length", Length())], documents("bad"))
    assert judged.column("drop_reason").to_pylist() == ["error.length.ZeroDivisionError"]
    assert judged.schema.field("length").type == pa.struct([("characters", pa.int64())])


def test_a_rewriter_edits_and_counts_and_a_bad_document_keeps_its_text() -> None:
    edited = apply.rewrite([("upper", Upper())], documents("ab", "bad"))
    assert edited.column("text").to_pylist() == ["AB", "bad"]
    assert edited.column("upper").to_pylist() == [{"characters": 2}, {"characters": None}]
    assert edited.column("drop_reason").to_pylist() == [None, "error.upper.KeyError"]


def test_fired_counts_documents_that_an_earlier_rule_dropped_too() -> None:
    filters = [("short", Length(at_least=3)), ("shorter", Length(at_least=2))]
    table = pa.Table.from_batches([apply.judge(filters, documents("abcd", "ab", "a"))])
    fired: dict[str, int] = {}
    apply.count_fired(filters, table, fired)
    assert fired["short.characters:low"] == 2
    assert fired["shorter.characters:low"] == 1


@dataclass(frozen=True, kw_only=True)
class Marked(Upper):
    """Tells where it edited, beside its counts."""

    def rewrite(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        text, counts = super().rewrite(batch)
        return text, {**counts, "spans": pa.array([[{"start": 0}]] * len(batch))}


def test_columns_beside_the_counts_are_kept_and_not_summed() -> None:
    table = pa.Table.from_batches([apply.rewrite([("marked", Marked())], documents("ab", "abc"))])
    edits: dict[str, int] = {}
    apply.count_edits(["marked"], table, edits)
    assert edits == {"marked.characters": 5}
    assert table["marked"].to_pylist()[0]["spans"] == [{"start": 0}]


def test_edits_are_summed() -> None:
    table = pa.Table.from_batches([apply.rewrite([("upper", Upper())], documents("ab", "abc"))])
    edits: dict[str, int] = {}
    apply.count_edits(["upper"], table, edits)
    assert edits == {"upper.characters": 5}


@dataclass(frozen=True, kw_only=True)
class English(ByLanguage):
    """Has a model for English alone."""

    reads: ClassVar[tuple[str, ...]] = ("text", "language")
    limits: ClassVar[tuple[Limit, ...]] = (Limit("score", least=3),)
    version: ClassVar[int] = 1

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        english = pc.equal(pc.struct_field(batch.column("language"), "label"), "en")
        return {"score": pc.if_else(english, pc.utf8_length(batch.column("text")), None).cast(pa.int64())}

    def modelled(self) -> tuple[str, ...]:
        return ("en",)


def test_documents_in_a_language_without_a_kit_are_counted_once() -> None:
    recipe = "version: 1\nsources: {web: [{filter: {%s: {by_language: shipped}, %s: {by_language: shipped}}}]}"
    (stage,) = parse(recipe % ("gopher_repetition", "fineweb_quality"), "m").sources["web"]
    languages: list[object] = [{"label": label} for label in ("de", "xx", "xx", None, "zh")]
    batch = documents("a.", "b.", "b.", "c.", "d.", language=languages)
    judged = pa.Table.from_batches([batch])
    counts = {"no_kit.xx": 1}
    apply.count_without_kit(cast(Keyed[Filter], stage.components), judged, counts)
    assert counts == {"no_kit.xx": 3, "no_kit.unknown": 1}
    apply.count_without_kit([("length", Length(at_least=2))], judged, counts)
    assert counts == {"no_kit.xx": 3, "no_kit.unknown": 1}


def test_documents_that_a_filter_has_no_model_for_are_counted_by_language() -> None:
    """Neither measured nor limited; those that another filter drops do not count."""
    languages: list[object] = [{"label": label} for label in ("en", "en", "fr", "fr", None, "de")]
    batch = documents("abc", "a", "abcd", "ab", "ab", "x", language=languages)
    filters = [("english", English()), ("length", Length(at_least=2))]
    judged = pa.Table.from_batches([apply.judge(filters, batch)])
    assert judged["drop_reason"].to_pylist() == [None, "english.score:low", None, None, None, "length.characters:low"]
    counts = {"no_model.english.fr": 1}
    apply.count_without_model(filters, judged, counts)
    assert counts == {"no_model.english.fr": 3, "no_model.english.unknown": 1}

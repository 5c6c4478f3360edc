"""Signals, reasons and edits as columns; one bad document costs only itself."""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from curation.core.component import Signals, each
from curation.core.errors import StageError
from curation.core.filter import Filter
from curation.core.protocols import Rewriter
from curation.engine import apply
from curation.engine.recipe.recipe import parse
from curation.filters.gopher_quality import GopherQuality
from tests.support import documents


@dataclass(frozen=True, kw_only=True)
class Upper(Rewriter):
    """Upper case; counts characters; fails on a batch that holds the text "bad"."""

    def signal_types(self) -> Signals:
        return {"characters": pa.int64()}

    def rewrite(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        text = batch.column("text")
        if "bad" in text.to_pylist():
            raise KeyError("bad")
        return pc.utf8_upper(text), {"characters": pc.utf8_length(text).cast(pa.int64())}


def test_a_rewriter_edits_and_counts_and_a_bad_document_keeps_its_text() -> None:
    edited = apply.rewrite((("upper", Upper()),), documents("ab", "bad"))
    assert edited.column("text").to_pylist() == ["AB", "bad"]
    assert edited.column("upper").to_pylist() == [{"characters": 2}, {"characters": None}]
    assert edited.column("drop_reason").to_pylist() == [None, "error.upper.KeyError"]


@dataclass(frozen=True, kw_only=True)
class Marked(Upper):
    """Tells where it edited, beside its counts."""

    def signal_types(self) -> Signals:
        return {**super().signal_types(), "spans": pa.list_(pa.struct([("start", pa.int64())]))}

    def rewrite(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        text, counts = super().rewrite(batch)
        return text, {**counts, "spans": pa.array([[{"start": 0}]] * len(batch))}


def test_columns_beside_the_counts_are_kept_and_not_summed() -> None:
    table = pa.Table.from_batches([apply.rewrite((("marked", Marked()),), documents("ab", "abc"))])
    edits: dict[str, int] = {}
    apply.count_edits(["marked"], table, edits)
    assert edits == {"marked.characters": 5}
    assert table["marked"].to_pylist()[0]["spans"] == [{"start": 0}]


def test_documents_in_a_language_without_a_kit_are_counted_once() -> None:
    recipe = "version: 1\nsources: {web: [{filter: {%s: {by_language: shipped}, %s: {by_language: shipped}}}]}"
    (stage,) = parse(recipe % ("gopher_repetition", "fineweb_quality"), "m").sources["web"]
    languages: list[object] = [{"label": label} for label in ("de", "xx", "xx", None, "zh")]
    batch = documents("a.", "b.", "b.", "c.", "d.", language=languages)
    judged = pa.Table.from_batches([batch])
    counts = {"no_kit.xx": 1}
    apply.count_without_kit(each(Filter, stage.components), judged, counts)
    assert counts == {"no_kit.xx": 3, "no_kit.unknown": 1}
    apply.count_without_kit((("gopher_quality", GopherQuality()),), judged, counts)
    assert counts == {"no_kit.xx": 3, "no_kit.unknown": 1}


@dataclass(frozen=True, kw_only=True)
class Undeclared(Upper):
    """Counts what it does not declare."""

    def signal_types(self) -> Signals:
        return {"letters": pa.int64()}


def test_a_count_that_is_not_declared_stops_the_stage() -> None:
    with pytest.raises(StageError, match=r"upper: characters is int64, and signal_types\(\) declares nothing"):
        apply.rewrite((("upper", Undeclared()),), documents("ab"))

"""Documents taken down keep their place and head, and no part of a stage is given them."""

from pathlib import Path

import pyarrow as pa
import pytest

from curation.core.manifest import FORMAT, RUN, RunRecord, write_json
from curation.core.removals import KnownTakedown
from curation.dedup.page_names import page_names
from curation.engine.removed.tombstones import NONE, Tombstones, bears_text, without_text
from tests.support import documents


def tombstones(folder: Path, *doc_ids: str, texts: tuple[str, ...] = ()) -> Tombstones:
    run = RunRecord(FORMAT, "r", {"sources": {}, "joined": []}, (), True, doc_ids, texts)
    write_json(str(folder / RUN), run)
    return Tombstones.of(str(folder), run)


def test_the_mask(tmp_path: Path) -> None:
    batch = documents("a", "b", "c", "d")
    ids = batch.column("doc_id").to_pylist()
    assert tombstones(tmp_path, ids[1], ids[3], "f" * 32).mask(batch).tolist() == [0, 1, 0, 1]
    assert NONE.mask(batch).tolist() == [0, 0, 0, 0]
    assert tombstones(tmp_path).mark == ""
    one = tombstones(tmp_path, ids[0])
    two = tombstones(tmp_path, ids[0], ids[1])
    assert one.mark != two.mark
    assert two.mask(batch).tolist() == [1, 1, 0, 0]
    assert two.mask(batch.slice(0, 0)).tolist() == []


def test_the_mask_by_text(tmp_path: Path) -> None:
    batch = documents("a", "b", None, "d", text_hash=["1" * 32, "2" * 32, None, "1" * 32])
    ids = batch.column("doc_id").to_pylist()
    assert tombstones(tmp_path, ids[1], texts=("1" * 32,)).mask(batch).tolist() == [1, 1, 0, 1]
    assert tombstones(tmp_path, ids[2], texts=("3" * 32,)).mask(pa.table(batch)).tolist() == [0, 0, 1, 0]
    without_hash = batch.drop_columns(["text_hash"])
    assert tombstones(tmp_path, ids[2], texts=("1" * 32,)).mask(without_hash).tolist() == [0, 0, 1, 0]
    assert tombstones(tmp_path, ids[0]).mark != tombstones(tmp_path, ids[0], texts=("1" * 32,)).mark


def test_the_mask_by_url(tmp_path: Path) -> None:
    """By what this run took down, another run, and a list; only where the caller asks for URLs."""
    batch = documents("a", "b", "c", "d")
    pages = page_names(batch.column("url")).to_pylist()
    elsewhere = (
        KnownTakedown("/runs/m1", "2026-11-01", texts=("1" * 32,), urls=(pages[1],)),
        KnownTakedown("/list", "", urls=(pages[3],)),
    )
    run = RunRecord(FORMAT, "r", {"sources": {}, "joined": []}, (), True, taken_urls=(pages[0],), removals=elsewhere)
    write_json(str(tmp_path / RUN), run)
    found = Tombstones.of(str(tmp_path), run)
    assert found.mask(batch).tolist() == [1, 1, 0, 1]
    assert found.mask(batch, ("doc_id",)).tolist() == [0, 0, 0, 0]
    assert found.mask(batch.drop_columns(["url"])).tolist() == [0, 0, 0, 0]


def measured(batch: pa.RecordBatch) -> pa.RecordBatch:
    """As a filter stage gives it: a struct of signals more; refuses the word that must not be seen."""
    assert "secret" not in batch.column("text").to_pylist()
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    signals = pa.array([{"words": 1}] * len(batch), pa.struct([("words", pa.int64())]))
    return pa.RecordBatch.from_pydict({**columns, "set": signals, "drop_reason": columns["drop_reason"]})


def test_spared_rows_stand_where_they_stood(tmp_path: Path) -> None:
    batch = documents("a", "secret", "c", old=[{"x": 1}, {"x": 2}, {"x": 3}])
    ids = batch.column("doc_id").to_pylist()
    found = tombstones(tmp_path, ids[1]).spare(batch, measured).to_pylist()
    assert [row["doc_id"] for row in found] == ids
    assert [row["text"] for row in found] == ["a", None, "c"]
    assert [row["set"] for row in found] == [{"words": 1}, None, {"words": 1}]
    assert [row["old"] for row in found] == [{"x": 1}, {"x": 2}, {"x": 3}]
    assert [row["drop_reason"] for row in found] == [None, "takedown", None]
    assert found[1]["url"] == "https://example.org/1"
    every = tombstones(tmp_path, *ids).spare(batch, measured)
    assert every.column("drop_reason").to_pylist() == ["takedown"] * 3
    assert NONE.spare(batch.slice(0, 1), measured).num_rows == 1


@pytest.mark.parametrize(
    ("name", "kind", "bears"),
    [
        ("text", pa.large_string(), True),
        ("tokens", pa.large_list(pa.uint16()), True),
        ("embedding", pa.list_(pa.float32()), True),
        ("abstract", pa.string(), True),
        ("content", pa.large_binary(), True),
        ("split", pa.string(), False),
        ("drop_reason", pa.string(), False),
        ("gopher_quality", pa.struct([("words", pa.int64())]), False),
        ("score", pa.float64(), False),
    ],
)
def test_columns_that_hold_text(name: str, kind: pa.DataType, bears: bool) -> None:
    assert bears_text(pa.field(name, kind)) is bears


def test_a_title_inside_signals_goes() -> None:
    kind = pa.struct([("title", pa.string()), ("nodes", pa.int64())])
    table = pa.table({"extract": pa.array([{"title": "A page", "nodes": 3}, None], kind), "n": [1, 2]})
    assert without_text(table).to_pylist() == [
        {"extract": {"title": None, "nodes": 3}, "n": 1},
        {"extract": None, "n": 2},
    ]

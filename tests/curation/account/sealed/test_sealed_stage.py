"""Rows of a stage by column and condition, by number, and by engine id, also of a stage of an earlier run."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from curation.account.run import Run
from curation.account.sealed.sealed_stage import SealedStage
from curation.core.errors import InputError, UserError
from tests.curation.account.corpus import curate, curate_sources
from tests.curation.engine.dedup.runs import curate as curate_dedup
from tests.curation.engine.dedup.runs import recipe, write_shards

KEPT = pc.field("drop_reason").is_null()


@pytest.fixture
def gopher(corpus: Path) -> SealedStage:
    return curate(corpus).stage("gopher")


def table_of(stage: SealedStage) -> pa.Table:
    """The slow way: rows of the stage's own files, those without text with the text that the stage before read."""
    own = pa.concat_tables(pq.read_table(shard.uri) for shard in stage.shards)
    folders = [path for path in Path(stage.folder).parent.iterdir() if (path / "_manifest.json").exists()]
    before = sorted(path for path in folders if path.name < Path(stage.folder).name)
    columns: dict[str, pa.ChunkedArray] = {name: own[name] for name in own.column_names if name != "text"}
    for folder in reversed(before):
        table = pa.concat_tables(map(pq.read_table, sorted(folder.glob("part-*.parquet"))))
        place = pc.index_in(own["doc_id"], table["doc_id"])
        columns |= {name: table[name].take(place) for name in table.column_names if name not in columns}
        if folder != before[0]:
            columns.pop("text", None)
    return pa.table(columns)


def test_batches_of_the_stages_own_columns(gopher: SealedStage) -> None:
    own = ["doc_id", "url", "source", "gopher_quality", "gopher_repetition", "drop_reason"]
    assert gopher.own_columns == own
    assert pa.Table.from_batches(gopher.scan()).equals(table_of(gopher).select(own).combine_chunks())


def test_any_column_that_the_documents_have(gopher: SealedStage) -> None:
    assert {"text", "text_hash", "language", "licence"} < set(gopher.schema.names)
    table = pa.Table.from_batches(gopher.scan(gopher.schema.names))
    assert table.equals(table_of(gopher).select(gopher.schema.names).combine_chunks())
    assert table["text"].null_count == 0
    files = pa.concat_tables(pq.read_table(shard.uri) for shard in gopher.shards)
    dropped = files["drop_reason"].is_valid()
    assert files["text"].is_valid().equals(dropped)
    assert files["text"].filter(dropped).to_pylist() == table["text"].filter(dropped).to_pylist()


@pytest.mark.parametrize(
    ("where", "meets"),
    [
        pytest.param(KEPT, lambda row: row["drop_reason"] is None, id="what was kept"),
        pytest.param(pc.less(pc.utf8_length(pc.field("text")), 200), lambda row: len(row["text"]) < 200, id="the text"),
        pytest.param(
            KEPT & (pc.field("gopher_quality", "words") > 100),
            lambda row: row["drop_reason"] is None and row["gopher_quality"]["words"] > 100,
            id="a field of a struct",
        ),
    ],
)
def test_a_condition(gopher: SealedStage, where: pc.Expression, meets: Callable[[dict[str, Any]], bool]) -> None:
    rows = table_of(gopher).to_pylist()
    chosen = [row for row in rows if meets(row)]
    assert 0 < len(chosen) < len(rows)
    batches = list(gopher.scan(["url", "language.label"], where))
    assert [row for batch in batches for row in batch.to_pylist()] == [
        {"url": row["url"], "language.label": row["language"]["label"]} for row in chosen
    ]
    assert all(batch.num_rows for batch in batches)
    frame = gopher.to_pandas(["url", "language.label"], where)
    assert frame["url"].tolist() == [row["url"] for row in chosen]


def test_text_after_a_rewriter_is_the_edited_one(corpus: Path) -> None:
    run = curate_sources(corpus)
    edited = pa.concat_tables(pq.read_table(shard.uri) for shard in run.stage("unicode").shards)
    last = pa.Table.from_batches(run.stage("dedup").scan(["doc_id", "text"]))
    assert edited["text"].null_count == 0
    assert last.equals(edited.select(["doc_id", "text"]).combine_chunks())
    quality = run.stage("quality")
    texts = pa.Table.from_batches(quality.scan(["doc_id", "text"], where=KEPT))
    read = {row["doc_id"]: row["text"] for row in _all(run.stage("one-read")) + _all(run.stage("two-read"))}
    assert texts["text"].to_pylist() == [read[name] for name in texts["doc_id"].to_pylist()]


def _all(stage: SealedStage) -> list[dict[str, object]]:
    return [row for batch in stage.scan() for row in batch.to_pylist()]


def test_a_frame_without_rows_has_its_columns(gopher: SealedStage) -> None:
    frame = gopher.to_pandas(["url", "drop_reason"], where=pc.field("url") == "nowhere")
    assert (list(frame.columns), len(frame)) == (["url", "drop_reason"], 0)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["urls"], "gopher has no column 'urls'; did you mean 'url'"),
        (["gopher_quality.wrods"], "gopher has no column 'gopher_quality.wrods'; did you mean 'words'"),
        (["url.words"], "gopher has no column 'url.words'"),
    ],
)
def test_columns_that_are_not_there(gopher: SealedStage, columns: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        gopher.scan(columns)


@pytest.mark.parametrize(
    "where", [pc.field("urls").is_null(), pc.field("gopher_quality", "w") > 3, pc.field("url") > 3]
)
def test_conditions_that_do_not_fit(gopher: SealedStage, where: pc.Expression) -> None:
    with pytest.raises(UserError, match=r"gopher: the condition .* does not fit its columns"):
        gopher.scan(where=where)


def test_lengths(corpus: Path) -> None:
    shard = curate(corpus).stage("tokenize").shards[0]
    ids = pq.read_table(shard.uri)["tokens"].to_pylist()
    assert shard.lengths("tokens", np.array([0, 3])).tolist() == [len(ids[0]), len(ids[3])]
    assert shard.lengths("tokens", np.empty(0, np.int64)).tolist() == []
    texts = pq.read_table(shard.uri)["text"].to_pylist()
    assert shard.lengths("text").tolist() == [len(text.encode()) for text in texts]
    assert shard.row(3)["tokens"] == len(ids[3])


def test_a_document_by_its_engine_id(tmp_path: Path) -> None:
    write_shards(tmp_path / "old", [["one", "two"], ["thrée"]])
    curate_dedup(recipe(tmp_path / "old", "exact: {}"), tmp_path / "first")
    write_shards(tmp_path / "new", [["two", "four"]])
    curate_dedup(recipe(tmp_path / "new", "exact: {}", options=f"against: [{tmp_path}/first]"), tmp_path / "second")
    stage = Run.open(tmp_path / "second").stage("dedup")
    first = Run.open(tmp_path / "first").stage("dedup")
    own = stage.document(1)
    assert (own.folder, own.shard, own.row) == (stage.folder, stage.shards[0], 1)
    earlier = stage.document(2 << 32)
    assert (earlier.folder, earlier.row) == (first.folder, 0)
    assert earlier.shard is not None
    row = earlier.shard.row(earlier.row)
    assert (row["url"], row["text"]) == ("http://web-1.example/0", 6)
    assert earlier.shard.row(0, beginning=3)["text"] == "thr"
    with pytest.raises(InputError, match="has no row 1 in shard 1"):
        earlier.shard.row(1)
    with pytest.raises(InputError, match="names a document of shard 3, which it lacks; ask `winnow verify`"):
        stage.document(3 << 32)
    (Path(first.folder) / "_manifest.json").unlink()
    assert stage.document(2 << 32).shard is None


def test_shards_by_number_and_in_slices(taken_run: Path) -> None:
    shards = Run.open(taken_run).stage("near").shards
    assert [shard.number for shard in shards] == [0, 1, 2, 3]
    assert [shard.number for shard in shards[::2]] == [0, 2]
    assert shards[-1] == shards[3] == shards[1:][2]

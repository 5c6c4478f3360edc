"""Steps over kept rows, without Ray: a unit's file and its commit."""

from dataclasses import dataclass
from pathlib import Path
from time import thread_time
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from curation.core.component import Signals
from curation.core.document import DOCUMENT
from curation.core.protocols import Redacting, Rewriter
from curation.core.verbs import FILTER, REWRITE
from curation.core.watchdog import WorkLimits
from curation.engine.executor.work import Unit
from curation.engine.recipe.options import StageOptions
from curation.engine.recipe.recipe import Stage
from curation.engine.recipe.schemas import after, written
from curation.engine.removed.tombstones import NONE
from curation.engine.run.steps import MapStep, ShardSources, columns_of
from curation.filters.gopher_quality import GopherQuality
from tests.curation.engine.inputs import run_here
from tests.support import documents


def test_sources_of_shards_are_runs() -> None:
    names = ["web", "web", "code", "web"]
    runs = ShardSources.of(names)
    assert runs == ShardSources((0, 2, 3), ("web", "code", "web"))
    assert [runs[shard] for shard in range(4)] == names


@pytest.mark.parametrize("last", [False, True], ids=["own columns", "all columns"])
def test_a_filter_stage_reads_kept_rows_and_counts_what_fired(tmp_path: Path, last: bool) -> None:
    good = "people have to read the large book and be kind " * 10
    batch = documents(good, "short", "gone", drop_reason=[None, None, "a.b:low"])
    pq.write_table(pa.Table.from_batches([batch]), tmp_path / "given.parquet")
    parts = (("gopher_quality", GopherQuality()),)
    stage = Stage(FILTER, parts, StageOptions(), ())
    schema = written(stage, DOCUMENT, after(stage.verb, stage.components, DOCUMENT), last=last)
    columns = tuple(DOCUMENT.names) if last else columns_of(parts, pa.schema([]), NONE)
    step = MapStep(str(tmp_path), FILTER, parts, columns, ShardSources.of(["web"]), schema)
    (commit,) = run_here(step, [Unit(0, (str(tmp_path / "given.parquet"),))], str(tmp_path))
    table = pq.read_table(tmp_path / "part-00000.parquet")
    assert table["drop_reason"].to_pylist() == [None, "gopher_quality.words:low"]
    assert table["text"].to_pylist() == [good if last else None, "short"]
    own = ["doc_id", "url", "source", "text", "gopher_quality", "drop_reason"]
    assert table.column_names == ([*DOCUMENT.names[:-1], *own[-2:]] if last else own)
    assert (commit.parts[0].rows, commit.parts[0].kept, commit.parts[0].source) == (2, 1, "web")
    assert (commit.parts[0].text_bytes, commit.parts[0].kept_text_bytes) == (len(good) + 5, len(good))
    assert commit.fired["gopher_quality.words:low"] == 1
    assert commit.fired["gopher_quality.bullet_lines:high"] == 0


@dataclass(frozen=True, kw_only=True)
class Labels(Rewriter):
    """Writes each document's language before its text, where a stage before has found one."""

    reads_if_there: ClassVar[tuple[str, ...]] = ("language",)

    def signal_types(self) -> Signals:
        return {"known": pa.int64()}

    def rewrite(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        known = "language" in batch.schema.names
        labels = pc.struct_field(batch["language"], "label") if known else pa.array(["??"] * len(batch))
        text = pc.binary_join_element_wise(
            labels.cast(pa.large_string()), batch["text"], pa.scalar(" ", pa.large_string())
        )
        return text, {"known": pa.array([int(known)] * len(batch))}


def test_a_column_is_read_of_the_shards_that_have_it(tmp_path: Path) -> None:
    batch = documents("words")
    labels = pa.StructArray.from_arrays([pa.array(["es"])], names=["label"])
    plain = pa.Table.from_batches([batch])
    for name, table in (("labelled", plain.append_column("language", labels)), ("plain", plain)):
        pq.write_table(table, tmp_path / f"{name}.parquet")
    parts = (("labels", Labels()),)
    schema = after(REWRITE, parts, DOCUMENT)
    step = MapStep(str(tmp_path), REWRITE, parts, tuple(DOCUMENT.names), ShardSources.of(["web", "code"]), schema)
    files = [str(tmp_path / f"{name}.parquet") for name in ("labelled", "plain")]
    run_here(step, [Unit(number, (file,)) for number, file in enumerate(files)], str(tmp_path))
    tables = [pq.read_table(tmp_path / f"part-0000{number}.parquet") for number in range(2)]
    assert [table["text"].to_pylist() for table in tables] == [["es words"], ["?? words"]]
    assert all(table.column_names == schema.names for table in tables)


@dataclass(frozen=True, kw_only=True)
class Loops(Redacting):
    """Writes texts in capitals, and hides URLs; one text, and one URL, keep it busy."""

    def signal_types(self) -> Signals:
        return {"letters": pa.int64()}

    def rewrite(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        texts = batch["text"].to_pylist()
        while "bad text" in texts:
            pass
        capitals = pa.array([text.upper() for text in texts], pa.large_string())
        return capitals, {"letters": pa.array(map(len, texts), pa.int64())}

    def urls(self, urls: pa.Array) -> pa.Array:
        while "https://bad.example/1" in urls.to_pylist():
            pass
        return pa.array(["hidden"] * len(urls))

    def words(self, texts: pa.Array) -> pa.Array:
        return texts


def test_a_document_that_keeps_a_rewriter_busy_is_dropped_in_every_attempt(tmp_path: Path) -> None:
    urls: list[object] = ["https://a.example/1", "https://b.example/1", "https://bad.example/1", "https://c.example/1"]
    batch = documents("one", "bad text", "three", "four", url=urls)
    pq.write_table(pa.Table.from_batches([batch]), tmp_path / "given.parquet")
    parts = (("loops", Loops()),)
    schema = after(REWRITE, parts, DOCUMENT)
    limits = WorkLimits(seconds=0.2, memory=1 << 30)
    names = tuple(DOCUMENT.names)
    step = MapStep(str(tmp_path), REWRITE, parts, names, ShardSources.of(["web"]), schema, limits=limits)
    unit = Unit(0, (str(tmp_path / "given.parquet"),))
    step.run(unit)
    part = tmp_path / "part-00000.parquet"
    first = part.read_bytes()
    table = pq.read_table(part)
    assert table["drop_reason"].to_pylist() == [None, "error.loops.timeout", "error.loops.timeout", None]
    assert table["text"].to_pylist() == ["ONE", "bad text", "THREE", "FOUR"]
    assert table["url"].to_pylist() == ["hidden", "hidden", "https://bad.example/", "hidden"]
    part.unlink()
    began = thread_time()
    assert step.probe(unit, 0, 4, None) == 4
    step.run(unit)
    assert part.read_bytes() == first
    assert thread_time() - began < 1, "nothing is tried again that was caught"

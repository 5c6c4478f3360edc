"""Steps over kept rows, without Ray: a unit's file and its commit."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from curation.core.document import DOCUMENT
from curation.core.verbs import FILTER
from curation.engine.run.steps import MapStep, ShardSources
from curation.engine.run.work import Unit
from curation.filters.gopher_quality import GopherQuality
from tests.curation.engine.inputs import run_here
from tests.support import documents


def test_sources_of_shards_are_runs() -> None:
    names = ["web", "web", "code", "web"]
    runs = ShardSources.of(names)
    assert runs == ShardSources((0, 2, 3), ("web", "code", "web"))
    assert [runs[shard] for shard in range(4)] == names


def test_a_filter_stage_reads_kept_rows_and_counts_what_fired(tmp_path: Path) -> None:
    good = "people have to read the large book and be kind " * 10
    batch = documents(good, "short", "gone", drop_reason=[None, None, "a.b:low"])
    pq.write_table(pa.Table.from_batches([batch]), tmp_path / "given.parquet")
    parts = (("gopher_quality", GopherQuality()),)
    from curation.engine.recipe.options import StageOptions
    from curation.engine.recipe.plan import after
    from curation.engine.recipe.recipe import Stage

    schema = after(Stage(FILTER, parts, StageOptions(), ()), DOCUMENT)
    step = MapStep(str(tmp_path), FILTER, parts, tuple(DOCUMENT.names), ShardSources.of(["web"]), schema)
    (commit,) = run_here(step, [Unit(0, str(tmp_path / "given.parquet"))], str(tmp_path))
    table = pq.read_table(tmp_path / "part-00000.parquet")
    assert table["drop_reason"].to_pylist() == [None, "gopher_quality.words:low"]
    assert (commit.parts[0].rows, commit.parts[0].kept, commit.parts[0].source) == (2, 1, "web")
    assert commit.fired["gopher_quality.words:low"] == 1
    assert commit.fired["gopher_quality.bullet_lines:high"] == 0

"""The files of a shard through the stages of its chain, from folder names and manifests alone."""

import shutil
from pathlib import Path

import pyarrow as pa

from curation.account.run import Run
from curation.core.composed import read_rows
from curation.core.manifest import read_manifest
from curation.core.shard_files import ShardFiles, all_files
from tests.takedowns import sources as sources
from tests.takedowns import taken_run as taken_run


def shard_files(run: Path, name: str) -> ShardFiles:
    stage = Run.open(run).stage(name)
    manifest = read_manifest(stage.folder)
    assert manifest is not None
    return ShardFiles(stage.folder, manifest)


def names(files: tuple[str, ...]) -> list[str]:
    """Stage and part file of each."""
    return [f"{Path(file).parent.name[3:-9]}/{Path(file).name}" for file in files]


def test_shards_of_a_joined_stage_have_their_own_chains(taken_run: Path) -> None:
    spans = shard_files(taken_run, "spans")
    chain = ["news-dedup", "news-gopher_quality", "news-read"]
    second = [f"{name}/part-00001.parquet" for name in ("spans", "near", *chain)]
    assert names(spans.files(1)) == second
    third = ["spans/part-00002.parquet", "near/part-00002.parquet", "books-read/part-00000.parquet"]
    assert names(spans.files(2)) == third
    assert spans.all_files() == [spans.files(shard) for shard in range(4)]
    assert spans.depth == 5


def test_a_stage_reads_the_shards_of_several_in_order(taken_run: Path) -> None:
    near = shard_files(taken_run, "near")
    assert [names(near.before(shard))[0] for shard in range(4)] == [
        "news-dedup/part-00000.parquet",
        "news-dedup/part-00001.parquet",
        "books-read/part-00000.parquet",
        "books-read/part-00001.parquet",
    ]
    assert all_files(near.above) == [near.before(shard) for shard in range(4)]
    assert near.before(4) == shard_files(taken_run, "news-read").before(0) == ()


def test_a_stage_whose_upstream_is_gone_has_its_own_files_left(taken_run: Path) -> None:
    near = shard_files(taken_run, "near")
    shutil.rmtree(Run.open(taken_run).stage("books-read").folder)
    assert names(near.files(3)) == ["near/part-00003.parquet"]
    table = pa.concat_tables(read_rows(near.files(3), ["doc_id", "drop_reason"]))
    assert table.num_rows == near.manifest.parts[3].rows

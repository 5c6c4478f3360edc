"""Inputs that would blow up a careless dedup: many equal paragraphs, the same archive twice, equal ids."""

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from curation.account.run import Run
from tests.curation.engine.dedup.runs import COPY, RECIPE, curate, manifest, recipe, rows, stage_folder, write_shards

NOTICE = "This page is no longer here, but its many friends may be."
SOURCE = '  web:\n    - read: {parquet: {paths: ["%s/*.parquet"], url: url}}\n'


@pytest.mark.parametrize(
    "count", [pytest.param(20_000, marks=pytest.mark.soak), pytest.param(250_000, marks=pytest.mark.soak)]
)
def test_equal_paragraphs_without_number(tmp_path: Path, count: int) -> None:
    """Four shards of `count` documents that have one paragraph in common; every tenth has nothing else."""
    shards = 4
    for number in range(shards):
        own = [f"{NOTICE}\n\nnumber {number}-{row} of them" if row % 10 else NOTICE for row in range(count)]
        table = pa.table({"text": own, "url": [f"http://{number}.example/{row}" for row in range(count)]})
        pq.write_table(table, tmp_path / f"{number}.parquet")
    given = {"sources": SOURCE % tmp_path, "options": "", "methods": "paragraph: {min_characters: 40}"}
    curate(RECIPE % given, tmp_path / "spans")
    pieces = [pq.read_table(path, columns=["paragraph"]) for path in stage_folder(tmp_path / "spans").glob("part-*")]
    repeated = sum(pc.sum(pc.struct_field(one["paragraph"].combine_chunks(), "repeated")).as_py() for one in pieces)
    assert repeated == shards * count - 1  # all but the very first
    found = manifest(tmp_path / "spans").dedup
    assert found is not None
    assert found["keys"] == shards  # once in each; what else stands there is too short to count
    given |= {"methods": "exact: {}, minhash: {hashes: 16, bands: 4, rows: 4}"}
    curate(RECIPE % given, tmp_path / "links")
    dropped = manifest(tmp_path / "links").merged("dropped")
    assert dropped["dedup.exact:duplicate"] == shards * count // 10 - 1


def test_the_same_archive_twice(tmp_path: Path) -> None:
    """Equal files under two names: equal ids, and each document of the second goes."""
    write_shards(tmp_path / "given", [["a", "b", "c"]])
    shutil.copy(tmp_path / "given" / "web-000.jsonl", tmp_path / "given" / "web-001.jsonl")
    curate(recipe(tmp_path / "given", "exact: {}, canonical_url: {}"), tmp_path / "run")
    reasons = [[row["drop_reason"] for row in shard] for shard in rows(tmp_path / "run")]
    assert reasons == [[None] * 3, [COPY % "exact"] * 3]
    assert [story.reason for story in Run.open(tmp_path / "run").why(url="http://web-0.example/0")] == [
        None,
        COPY % "exact",
    ]


def test_one_giant_group_of_candidates(tmp_path: Path) -> None:
    """Ten equal words and one more: every document shares its bands with most, and few pairs are compared."""
    texts = [" ".join(["so it is said by all of us in this town"] * 20 + [f"word{n}"]) for n in range(300)]
    write_shards(tmp_path / "given", [texts[:150], texts[150:]])
    curate(recipe(tmp_path / "given", "minhash: {threshold: 0.7}"), tmp_path / "run")
    found = manifest(tmp_path / "run").dedup
    assert found is not None
    assert found["pairs"] < 300 * 20
    kept = [row for shard in rows(tmp_path / "run") for row in shard if row["drop_reason"] is None]
    assert len(kept) == 1

"""Keys that meet what earlier runs wrote into Bloom filters, and the filter that a run writes of its own."""

from pathlib import Path

import pytest

from curation.core.errors import RecipeError
from curation.dedup.bloom import Bloom
from curation.models.bloom.filter_folder import BloomFilter
from tests.curation.engine.dedup.runs import (
    COPY,
    curate,
    manifest,
    recipe,
    rows,
    set_buckets,
    stage_folder,
    write_shards,
)
from tests.noting import Noting
from tests.support import documents

BLOOM = COPY % "bloom"


def test_what_an_earlier_filter_knows_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_shards(tmp_path / "old", [["a", "b", "a"], ["c"]])
    curate(recipe(tmp_path / "old", "bloom: {expected_items: 100}"), tmp_path / "first")
    assert [row["drop_reason"] for shard in rows(tmp_path / "first") for row in shard] == [None] * 4  # not by itself
    made = manifest(tmp_path / "first").dedup["bloom"]
    assert (made["folder"], made["items"]) == ("bloom", 3)
    folder = stage_folder(tmp_path / "first") / "bloom"
    write_shards(tmp_path / "new", [["a", "new"], ["new", "C", "?"]])
    methods = f"exact: {{}}, bloom: {{against: ['{folder}'], expected_items: 10}}"
    set_buckets(monkeypatch, 4)
    curate(recipe(tmp_path / "new", methods), tmp_path / "second")
    found = rows(tmp_path / "second")
    assert [[row["drop_reason"] for row in shard] for shard in found] == [[BLOOM, None], [COPY % "exact", BLOOM, None]]
    assert [[row["bloom"]["member"] for row in shard] for shard in found] == [[True, False], [False, True, False]]
    second = BloomFilter.open(str(stage_folder(tmp_path / "second") / "bloom"))
    assert (second.items, second.sizing.partitions) == (4, 4)


def test_a_task_that_is_tried_again_keeps_its_documents(tmp_path: Path) -> None:
    """The filter of the first attempt is there, its commits are not: nothing is dropped, and the filter is the same."""
    write_shards(tmp_path / "given", [["a", "b"], ["c"]])
    text = recipe(tmp_path / "given", "bloom: {expected_items: 100}")
    curate(text, tmp_path / "run")
    folder = stage_folder(tmp_path / "run")
    before = {path.name: path.read_bytes() for path in (folder / "bloom").iterdir()}
    (folder / "_manifest.json").unlink()
    for path in (folder / "_commits").iterdir():
        path.unlink()
    curate(text, tmp_path / "run")
    assert [row["drop_reason"] for shard in rows(tmp_path / "run") for row in shard] == [None] * 3
    assert {path.name: path.read_bytes() for path in (folder / "bloom").iterdir()} == before


def test_paragraphs_of_an_earlier_corpus_are_cut(tmp_path: Path) -> None:
    notice = "All rights reserved by those who wrote this notice."
    write_shards(tmp_path / "old", [[f"an old page\n\n{notice}"]])
    curate(recipe(tmp_path / "old", "bloom: {unit: paragraph, expected_items: 9}"), tmp_path / "first")
    folder = stage_folder(tmp_path / "first") / "bloom"
    write_shards(tmp_path / "new", [[f"{notice}\n\na new page", f"{notice}"]])
    curate(recipe(tmp_path / "new", f"bloom: {{unit: paragraph, against: ['{folder}']}}"), tmp_path / "second")
    found = rows(tmp_path / "second")[0]
    assert [row["bloom"]["spans"] for row in found] == [[{"start": 0, "stop": len(notice)}]] * 2
    assert {row["drop_reason"] for row in found} == {None}


def test_a_filter_that_does_not_fit_is_refused_first(tmp_path: Path) -> None:
    noting = Noting()
    write_shards(tmp_path / "given", [["a"]])
    with pytest.raises(RecipeError, match=r"dedup.bloom: Bloom filter for 10,000,000,000,000 keys.*max_mb"):
        curate(recipe(tmp_path / "given", "bloom: {expected_items: 10_000_000_000_000}"), tmp_path / "run", noting)
    assert noting.ran == []


def test_a_filter_outlives_the_second_round_of_another_method(tmp_path: Path) -> None:
    notice = "All rights reserved by those who wrote this notice."
    write_shards(tmp_path / "given", [[notice, f"{notice}\n\nand more"]])
    methods = "bloom: {unit: paragraph, expected_items: 9}, substring: {min_bytes: 40}"
    curate(recipe(tmp_path / "given", methods), tmp_path / "run")
    made = BloomFilter.open(str(stage_folder(tmp_path / "run") / "bloom"))
    assert made.items == 1
    key = Bloom(unit="paragraph", against=(made.folder,)).keys(documents(notice))
    assert made.contains(key.hi, key.lo).tolist() == [True]


def test_a_large_filter_gets_the_partitions_that_it_needs(tmp_path: Path) -> None:
    write_shards(tmp_path / "given", [["a", "b"]])
    curate(recipe(tmp_path / "given", "bloom: {expected_items: 1_000_000, max_mb: 1}"), tmp_path / "run")
    assert manifest(tmp_path / "run").dedup["exchange"]["buckets"] == 8
    made = BloomFilter.open(str(stage_folder(tmp_path / "run") / "bloom"))
    assert (made.items, made.sizing.partitions) == (2, 8)

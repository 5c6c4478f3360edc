"""Keys of an earlier run lead to its texts, wherever these lie."""

from pathlib import Path

import pytest

from tests.curation.engine.dedup.runs import COPY, curate, recipe, rows, write_shards


@pytest.mark.parametrize("at", ["", "/*-dedup-*"], ids=["a run", "a stage of its own"])
def test_texts_of_an_earlier_stage_are_found_where_they_lie(tmp_path: Path, at: str) -> None:
    """Evidence is made of texts, which the earlier dedup stage, not the last of its chain, only read."""
    words = [f"word{number}" for number in range(400)]
    same = " ".join(words)
    other = " ".join([*words[:-1], "another"])
    minhash = "minhash: {hashes: 2, bands: 1, rows: 1, threshold: 0.999, verify: exact}"
    write_shards(tmp_path / "old", [["first", "second"], [other, same, "third"]])
    curate(recipe(tmp_path / "old", minhash) + "  - filter: {language: {}}\n", tmp_path / "first")
    assert [row["text"] for shard in rows(tmp_path / "first") for row in shard] == [None] * 5
    (against,) = tmp_path.glob(f"first{at}")
    write_shards(tmp_path / "new", [[same, "fourth"]])
    curate(recipe(tmp_path / "new", minhash, options=f"against: [{against}]"), tmp_path / "second")
    assert [row["drop_reason"] for row in rows(tmp_path / "second")[0]] == [COPY % "minhash", None]
    assert rows(tmp_path / "second")[0][0]["minhash"]["duplicate_of"] == ((1 + 1) << 32) + 1

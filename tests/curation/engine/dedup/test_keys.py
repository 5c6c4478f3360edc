"""Keys of a shard: one row per key, errors by row, and a second round where a method looks again."""

from pathlib import Path

import pytest

from curation.engine.run.sent_files import read_file
from tests.curation.engine.dedup.runs import (
    deduplicated,
    manifest,
    set_buckets,
    stage_folder,
)

RUN = "this sentence of a little more than forty bytes stands in two documents"


def test_a_key_is_written_once_per_shard(tmp_path: Path) -> None:
    deduplicated(tmp_path, [["a", "b", "a", "a"]], "exact: {}", options="keep: longest")
    keys = read_file(str(stage_folder(tmp_path / "run") / "_keys" / "keys-00000.arrow"))
    assert sorted(zip(keys["doc"].to_pylist(), keys["copies"].to_pylist(), strict=True)) == [(0, 3), (1, 1)]
    links = read_file(str(stage_folder(tmp_path / "run") / "_keys" / "links-00000.arrow"))
    assert links.select(["doc_a", "doc_b", "equal", "method"]).to_pylist() == [
        {"doc_a": 0, "doc_b": 2, "equal": True, "method": 0},
        {"doc_a": 0, "doc_b": 3, "equal": True, "method": 0},
    ]


def test_runs_of_bytes_are_found_in_two_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_buckets(monkeypatch, 4)
    shards = [[f"é{RUN}.", "nothing of the kind, but long enough to have windows of its own"], [f"xx {RUN} yy", "?"]]
    found = deduplicated(tmp_path, shards, "substring: {min_bytes: 40}, line: {}")
    spans = [[row["substring"]["spans"] for row in shard] for shard in found]
    assert spans == [[[], []], [[{"start": 3, "stop": 3 + len(RUN)}], []]]
    assert manifest(tmp_path / "run").dedup["refined_keys"] > 0
    assert sorted(path.name for path in stage_folder(tmp_path / "run").iterdir() if path.is_dir()) == [
        "_commits",
        "_keys",
    ]

"""Blocks of neighbouring shards, and the shards of earlier runs after the stage's own."""

from pathlib import Path

import pyarrow as pa
import pytest

from curation.core import storage
from curation.engine.dedup.layout import Earlier, Layout, blocks_for, distinct
from curation.engine.dedup.notes import notes
from curation.engine.recipe.recipe import parse
from curation.engine.run import exchange
from tests.commits import commits_of
from tests.curation.engine.dedup.runs import COPY, deduplicated, manifest, recipe, set_buckets, stage_folder


def test_how_many_blocks() -> None:
    assert blocks_for(3, 10**9) == 3  # never less than a shard
    assert blocks_for(400, 1000) == 64
    assert blocks_for(11_200, 10**9) == 500


def test_each_pair_is_taken_once() -> None:
    rows = [(1, 2, True), (1, 3, False), (0, 9, False), (1, 2, False)]
    links = pa.table({"doc_a": [r[0] for r in rows], "doc_b": [r[1] for r in rows], "equal": [r[2] for r in rows]})
    found = distinct(links).to_pydict()
    assert list(zip(found["doc_a"], found["doc_b"], found["equal"], strict=True)) == [rows[2], rows[0], rows[1]]


def test_shards_of_earlier_runs_follow() -> None:
    layout = Layout("new", 3, 4, earlier=(Earlier("old", 3, 2, (0,)), Earlier("older", 5, 1, (0,))))
    assert layout.all_shards == 6
    assert [layout.place(shard) for shard in range(6)] == [
        ("new", 0),
        ("new", 1),
        ("new", 2),
        ("old", 0),
        ("old", 1),
        ("older", 0),
    ]
    assert layout.signatures(5, "minhash") == "older/_keys/minhash-00000.arrow"


def test_sizes_are_told_before_work(tmp_path: Path) -> None:
    text = recipe(tmp_path, "bloom: {expected_items: 1000}")
    stage = parse(text, "m.yaml").joined[0]
    filter_line, _ = notes(stage)
    assert filter_line.startswith("writes a Bloom filter for 1,000 keys, false-positive rate 1 in 1,000,000")
    (rule,) = notes(parse(recipe(tmp_path, "exact: {}"), "m.yaml").joined[0])
    assert rule == "exchange: a bucket for every 28,597,527 documents (1 key each); its task takes up to 3.6 GiB"
    (chosen,) = notes(parse(recipe(tmp_path, "minhash: {}"), "m.yaml").joined[0], 10_000_000)
    assert chosen == "exchange: up to 16 buckets for 10,000,000 documents (14 keys each); a task takes up to 1.8 GiB"
    assert notes(parse(recipe(tmp_path, "minhash: {}"), "m.yaml").joined[0], 1_000) == ()  # one small bucket
    (unknown,) = notes(parse(recipe(tmp_path, "line: {}"), "m.yaml").joined[0], 10_000_000)
    assert unknown.startswith("exchange: a bucket for every 28,597,527 keys, whose number is known once they are made")


@pytest.mark.parametrize("gathered", [False, True])
def test_keys_are_kept_once(tmp_path: Path, gathered: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if gathered:
        monkeypatch.setattr(exchange, "RANGES", 0)
    set_buckets(monkeypatch, 4)
    found = deduplicated(tmp_path, [["a", "b"], ["b", "c"]], "exact: {}, minhash: {}")
    assert [row["drop_reason"] for row in found[1]] == [COPY % "exact", None]
    folder = stage_folder(tmp_path / "run")
    keys = {path.name for path in (folder / "_keys").glob("*.arrow") if not path.name.startswith("group-")}
    signatures = {"minhash-00000.arrow", "minhash-00001.arrow"}
    assert keys == signatures | (set() if gathered else {"keys-00000.arrow", "keys-00001.arrow"})
    assert (folder / "_keys-gathered" / "keys-00000.arrow").exists() == gathered
    assert manifest(tmp_path / "run").dedup["exchange"]["key_shards"] == (1024 if gathered else 1)
    for step in ("_keys", *(["_keys-gathered"] if gathered else [])):
        for commit in commits_of(folder, step).values():
            for name, facts in commit.extra["files"].items():
                assert facts["bytes"] == storage.size(str(folder / name)), "commits name what is there"

"""Rows, positions and steps of one document agree with the token shards themselves."""

from pathlib import Path

import pytest

from curation.account.lineage.trace import trace
from curation.account.run import Run
from curation.tokens.shards import TokenData
from tests import takedowns as runs


@pytest.mark.parametrize("shard_bytes", [512 << 20, 1], ids=["two shards in a token shard", "a token shard each"])
def test_all_documents_to_their_rows_and_back(
    shard_bytes: int, sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("curation.engine.run.token_units.TOKEN_SHARD_BYTES", shard_bytes)
    taken_run = tmp_path / "run"
    runs.curate(sources, taken_run)
    files = {"http://news-0.example/0": 0, "http://news-1.example/0": 1, "http://books-1.example/0": 3}
    for url, shard in files.items():
        (story,) = Run.open(taken_run).why(url=url)
        number = shard // 2 if shard_bytes > 1 else shard
        assert story.tokens["file"].endswith(f"-{number:05d}.bin")
    data = TokenData.open(str(taken_run))
    training = runs.write_training(taken_run.parent / "t", taken_run, steps=data.rows // 4, batch_rows=4, done=5)
    traced = [trace(str(training), step) for step in range(data.rows // 4)]
    places = data.locate(0, batch_rows=data.rows)
    for row in runs.rows(taken_run, "tokenize"):
        (story,) = Run.open(taken_run).why(doc_id=row["doc_id"])
        tokens = story.tokens
        assert (tokens["count"], tokens["split"]) == (len(row["tokens"]), row["split"])
        file = tokens["file"].removesuffix(".bin")
        covered: set[int] = set()
        for held in tokens["rows"]:
            covered.update(range(held["doc_offset"], held["doc_offset"] + held["length"]))
        assert covered == set(range(len(row["tokens"])))
        if row["split"] == "validation":
            assert (tokens["mixes"], tokens["trainings"]) == ((), ())
            continue
        (mix,) = tokens["mixes"]
        (seen,) = tokens["trainings"]
        own = {held["row"] for held in tokens["rows"]}
        assert mix["positions"] == tuple(place for place, (name, at) in enumerate(places) if name == file and at in own)
        assert seen["training"] == str(training)
        assert seen["done"] == 5
        steps = tuple(n for n, one in enumerate(traced) if any(s["doc_id"] == row["doc_id"] for s in one.segments))
        assert seen["steps"] == steps


@pytest.mark.parametrize("missing", ["*-pack-*/tokens-*.bin", "*-mix-*/index.json"])
def test_files_that_were_not_copied(taken_run: Path, missing: str) -> None:
    row = next(row for row in runs.rows(taken_run, "tokenize") if row["split"] == "train")
    runs.write_training(taken_run.parent / "t", taken_run, steps=4)
    for path in taken_run.glob(missing):
        path.unlink()
    (story,) = Run.open(taken_run).why(doc_id=row["doc_id"])
    assert story.tokens["rows"]
    assert story.tokens["mixes"][0]["problem"]
    assert story.tokens["trainings"][0]["problem"]

"""Documents drawn at random: the same ones again, from all parts, each as likely as any other."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from curation.account import drawn as module
from curation.account.drawn import drawn
from curation.account.run import Run
from tests.curation.account.corpus import curate, made, rows, write_lines

LINES = "version: 1\nname: r\nshards: {group_mb: 0}\nsources:\n  a:\n    - read: {jsonl: {paths: [%s], url: url}}\n"


def ids(run: Run, most: int, stage: str = "gopher", **which: object) -> list[str]:
    places = drawn(run.stage(stage), most, **which)  # type: ignore[arg-type]
    return [shard.read(["doc_id"])["doc_id"][row].as_py() for shard, row in places]


def test_the_same_seed_draws_the_same_ones_and_another_one_others(corpus: Path) -> None:
    run = curate(corpus)
    once = ids(run, 12)
    assert ids(run, 12) == once
    assert ids(run, 5) == once[:5]
    assert len(set(once)) == 12
    assert set(ids(run, 12, seed=1)) != set(once)


def test_they_come_from_all_parts(corpus: Path) -> None:
    places = drawn(curate(corpus).stage("gopher"), 30)
    assert {shard.number for shard, _ in places} == {0, 1, 2}


def test_all_are_drawn_where_there_are_no_more(corpus: Path) -> None:
    run = curate(corpus)
    table = rows(run, "gopher")
    assert sorted(ids(run, 10_000)) == sorted(table["doc_id"].to_pylist())
    kept = table.filter(table["drop_reason"].is_null())["doc_id"].to_pylist()
    assert sorted(ids(run, 10_000, kept=True)) == sorted(kept)
    dropped = {reason for reason in table["drop_reason"].to_pylist() if reason}
    low = [reason for reason in dropped if reason.startswith("gopher_quality")]
    few = table.filter([reason in low for reason in table["drop_reason"].to_pylist()])["doc_id"].to_pylist()
    assert sorted(ids(run, 10_000, reason="gopher_quality")) == sorted(few)


def test_neither_order_nor_number_of_parts_matters(tmp_path: Path) -> None:
    """A document's id is that of its file and line, so the files stay; their units change."""
    for name, texts in (("a", range(40)), ("b", range(40, 90))):
        write_lines(tmp_path / f"{name}.jsonl", [{"text": f"text {n}", "url": f"http://x/{n}"} for n in texts])
    recipe = LINES % f"{tmp_path}/*.jsonl"
    apart = made(recipe, tmp_path / "apart")
    together = made(recipe.replace("{group_mb: 0}", "{group_mb: 16}"), tmp_path / "together")
    assert (len(apart.stage("read").shards), len(together.stage("read").shards)) == (2, 1)
    assert ids(apart, 9, "read") == ids(together, 9, "read")


@pytest.mark.parametrize("most", [1, 7, 60, 299, 300, 1000])
def test_of_a_large_stage_parts_are_drawn_first(corpus: Path, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    run = curate(corpus)
    monkeypatch.setattr(module, "WHOLE", 0)
    places = drawn(run.stage("read"), most)
    assert len({(shard.number, row) for shard, row in places}) == min(most, 300)
    assert drawn(run.stage("read"), most) == places


def test_each_document_of_a_large_stage_is_as_likely(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """30 documents in one part and 10 in another: of 400 draws of 4 each document is in about 40."""
    write_lines(tmp_path / "a.jsonl", [{"text": f"a {n}", "url": "u"} for n in range(30)])
    write_lines(tmp_path / "b.jsonl", [{"text": f"b {n}", "url": "u"} for n in range(10)])
    stage = made(LINES % f"{tmp_path}/*.jsonl", tmp_path / "run").stage("read")
    monkeypatch.setattr(module, "WHOLE", 0)
    places = itertools.chain.from_iterable(drawn(stage, 4, seed=seed) for seed in range(400))
    counts = np.unique([shard.number * 100 + row for shard, row in places], return_counts=True)[1]
    assert (len(counts), counts.sum()) == (40, 1600)
    assert 15 < counts.min() <= counts.max() < 70

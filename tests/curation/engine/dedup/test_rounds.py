"""Rounds over buckets find the clusters that one task finds, on chains and stars that span all shards."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from curation.core.commits import Commit
from curation.dedup.clusters.edges import Edges
from curation.engine.dedup import rounds
from curation.engine.dedup.layout import LINK_SCHEMA, Layout
from curation.engine.dedup.rounds import ROOTED_SCHEMA, cluster_by_rounds
from curation.engine.executor.work import Unit
from curation.engine.run.routing import Outbox, sent_path
from tests.curation.dedup.clusters.rounds import local_components
from tests.curation.engine.dedup.runs import Rows, curate, manifest, recipe, rows, set_buckets, write_shards
from tests.curation.engine.inputs import run_here


def chain(count: int) -> list[dict[str, str]]:
    """Documents of which each has the text of the one before or the url of the one after: one chain by two methods."""
    return [{"text": f"text {number // 2}", "url": f"http://x/{(number + 1) // 2}"} for number in range(count)]


def verdicts(found: Rows) -> list[tuple[object, ...]]:
    return [(row["drop_reason"], row["exact"], row["canonical_url"]) for shard in found for row in shard]


@pytest.mark.parametrize("parts", [1, 4])
def test_a_chain(tmp_path: Path, parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    set_buckets(monkeypatch, parts, parts)
    documents = chain(40)
    mixed = [documents[number * 7 % 40] for number in range(40)]
    write_shards(tmp_path / "given", [mixed[start : start + 8] for start in range(0, 40, 8)])
    found = {}
    for links in (1000, 0):
        text = recipe(tmp_path / "given", "exact: {}, canonical_url: {}", options=f"local_links: {links}")
        curate(text, tmp_path / str(links))
        found[links] = verdicts(rows(tmp_path / str(links)))
    assert found[0] == found[1000]
    assert [one[0] for one in found[0]].count(None) == 1
    assert {one[1]["cluster"] for one in found[0]} == {0}
    said = manifest(tmp_path / "0").dedup
    assert said["clusters"] == manifest(tmp_path / "1000").dedup["clusters"]
    assert 2 <= said["rounds"] <= 15
    assert not [path.name for path in (tmp_path / "0").glob("*-dedup-*/_round-*")]


def graph(name: str) -> Edges:
    """Edges between documents of 16 shards, in an order that says nothing."""
    random = np.random.default_rng(3)
    sizes = {"chain": 100_000, "star": 1_000_000, "random": 1_500_000}
    nodes = random.permutation(sizes[name])
    docs = nodes % 16 << 32 | nodes // 16
    if name == "chain":
        one = docs[:-1]
        other = docs[1:]
    elif name == "star":
        one = np.full(len(docs) - 1, docs[0])
        other = docs[1:]
    else:
        one, other = (docs[random.integers(0, len(docs), 1_000_000)] for _ in range(2))
    rank_one, rank_other = ((ends * 7919 % 5).astype(np.uint32) for ends in (one, other))
    return Edges(rank_one, one, rank_other, other)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "most"), [("chain", 40), ("star", 6), ("random", 20)])
def test_large_graphs(tmp_path: Path, name: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain of 10^5 documents, a star of 10^6 and a random graph of 10^6 edges, with no task for all links."""
    edges = graph(name)
    layout = Layout(str(tmp_path), 16, 8)
    expected = local_components(edges)
    monkeypatch.setattr(rounds, "parts_for", lambda links: 8)
    files = []
    (tmp_path / "_links").mkdir()
    for number in range(16):
        part = edges.take(np.arange(len(edges)) % 16 == number)
        table = part.to_table().append_column("equal", pa.array(np.zeros(len(part), bool)))
        table = table.append_column("method", pa.array(np.zeros(len(part), np.uint8))).cast(LINK_SCHEMA)
        Outbox(str(tmp_path), "_links", number).put("links", table)
        files.append(sent_path(str(tmp_path), "_links", "links", number))

    def step(name: str, work: Any, units: Sequence[Unit], folder: str) -> tuple[Commit, ...]:
        return tuple(run_here(work, units, str(tmp_path), folder))

    made = cluster_by_rounds(step, layout, files, len(edges))
    assert made.rounds <= most
    seen = 0
    for bucket in range(8):  # each cluster is whole in the bucket that it was sent to
        links = made.links.to(bucket, 8).table(ROOTED_SCHEMA)
        own = local_components(Edges.from_table(links.combine_chunks()))
        at = np.searchsorted(expected.doc, own.doc)
        assert np.array_equal(expected.root_doc[at], own.root_doc)
        at = np.searchsorted(expected.doc, np.asarray(links["doc_a"]))
        assert np.array_equal(expected.root_doc[at], np.asarray(links["root"]))
        seen += len(own)
    assert seen == len(expected)


@pytest.mark.slow
def test_no_task_holds_a_star(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A document with a million links: each task reads a share of them, in every round."""
    monkeypatch.setattr(rounds, "parts_for", lambda links: 8)
    edges = graph("star")
    files = []
    most = 0
    (tmp_path / "_links").mkdir()
    for number in range(16):
        part = edges.take(np.arange(len(edges)) % 16 == number)
        table = part.to_table().append_column("equal", pa.array(np.zeros(len(part), bool)))
        table = table.append_column("method", pa.array(np.zeros(len(part), np.uint8))).cast(LINK_SCHEMA)
        Outbox(str(tmp_path), "_links", number).put("links", table)
        files.append(sent_path(str(tmp_path), "_links", "links", number))

    def step(name: str, work: Any, units: Sequence[Unit], folder: str) -> tuple[Commit, ...]:
        nonlocal most
        for unit in units if name != "spread" else ():
            ranges = [slices.ranges for slices in unit.payload.values()]
            most = max(most, sum(int((one[:, 1] - one[:, 0]).sum()) for one in ranges))
        return tuple(run_here(work, units, str(tmp_path), folder))

    cluster_by_rounds(step, Layout(str(tmp_path), 16, 8), files, len(edges))
    assert most < 24 * len(edges) / 8 * 1.5, "bytes that any task was sent, of 24 a link"

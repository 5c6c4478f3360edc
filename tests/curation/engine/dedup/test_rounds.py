"""Rounds over buckets find the clusters that one task finds, on chains and stars that span all shards."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from curation.core.commits import Commit
from curation.core.errors import StageError
from curation.dedup.clusters.edges import Edges
from curation.engine.dedup import clusters, rounds
from curation.engine.dedup.layout import LINK_SCHEMA, Layout
from curation.engine.dedup.rounds import ROOTED_SCHEMA, cluster_by_rounds
from curation.engine.executor.work import Unit
from curation.engine.run.routing import Outbox, sent_path
from tests.curation.dedup.clusters.rounds import local_components
from tests.curation.engine.dedup.runs import Rows, curate, manifest, recipe, rows, set_buckets, write_shards
from tests.curation.engine.inputs import run_here
from tests.noting import Noting


def chain(count: int) -> list[dict[str, str]]:
    """Documents of which each has the text of the one before or the url of the one after: one chain by two methods."""
    return [{"text": f"text {number // 2}", "url": f"http://x/{(number + 1) // 2}"} for number in range(count)]


def verdicts(found: Rows) -> list[tuple[object, ...]]:
    return [(row["drop_reason"], row["exact"], row["canonical_url"]) for shard in found for row in shard]


def test_a_chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_buckets(monkeypatch, 4, 4)
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


@pytest.mark.soak
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

    most_sent = 0

    def step(name: str, work: Any, units: Sequence[Unit], folder: str) -> tuple[Commit, ...]:
        nonlocal most_sent
        for unit in units if name != "spread" else ():
            ranges = [slices.ranges for slices in unit.payload.values()]
            most_sent = max(most_sent, sum(int((one[:, 1] - one[:, 0]).sum()) for one in ranges))
        return tuple(run_here(work, units, str(tmp_path), folder))

    made = cluster_by_rounds(step, layout, files, len(edges))
    assert made.rounds <= most
    if name == "star":  # a document with a million links: each task reads a share of them, in every round
        assert most_sent < 24 * len(edges) / 8 * 1.5, "bytes that any task was sent, of 24 a link"
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


@pytest.mark.parametrize("limits", ["{max_documents: 10}", "{max_diameter: 50}"])
def test_verdicts_are_those_of_one_task(tmp_path: Path, limits: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain of 40 by two methods, one of 4, and a pair: the first alone is a giant."""
    others = [{"text": "same", "url": f"http://same/{number}"} for number in range(4)]
    documents = [*chain(40), *others, *({"text": "pair", "url": f"http://pair/{number}"} for number in range(2))]
    mixed = [documents[number * 7 % 46] for number in range(46)]
    write_shards(tmp_path / "given", [mixed[start : start + 8] for start in range(0, 46, 8)])
    monkeypatch.setattr(clusters, "GIANT", 5)
    set_buckets(monkeypatch, 4, 4)
    noting = Noting()
    found = {}
    said = {}
    for links in (1000, 0):
        options = f"local_links: {links}\nclusters: {limits}\nkeep: longest"
        text = recipe(tmp_path / "given", "exact: {}, canonical_url: {}", options=options)
        curate(text, tmp_path / str(links), noting)
        found[links] = verdicts(rows(tmp_path / str(links)))
        said[links] = manifest(tmp_path / str(links)).dedup
    assert found[0] == found[1000]
    assert ("TellStep", [0, 1, 2, 3]) in noting.ran
    apart = said[0]["clusters"]
    together = said[1000]["clusters"]
    assert apart["sizes"] == together["sizes"] == [(2, 1), (4, 1), (64, 1)]
    assert apart["clusters_above"] == together["clusters_above"] == ("max_documents" in limits)
    first, *others = apart["largest"]
    assert {**first, "diameter": together["largest"][0]["diameter"]} == together["largest"][0]
    assert first["diameter"] == -1
    assert others == together["largest"][1:]
    assert not list((tmp_path / "0").glob("*-dedup-*/_giants*"))


def test_identical_documents_are_never_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_shards(tmp_path / "given", [["a"] * 9, ["a"] * 9])
    monkeypatch.setattr(clusters, "GIANT", 5)
    options = "local_links: 0\nclusters: {max_documents: 2, split: true}"
    noting = Noting()
    curate(recipe(tmp_path / "given", "exact: {}", options=options), tmp_path / "run", noting)
    assert [row["drop_reason"] is None for shard in rows(tmp_path / "run") for row in shard] == [True] + [False] * 17
    assert "TellStep" in [name for name, _ in noting.ran]


def test_a_giant_that_may_be_split_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = " ".join(f"word{number}" for number in range(200))
    write_shards(tmp_path / "given", [[f"{text} {shard} {row}" for row in range(4)] for shard in range(2)])
    monkeypatch.setattr(clusters, "GIANT", 5)
    options = "local_links: {}\nclusters: {{max_documents: 2, split: true}}"
    text = recipe(tmp_path / "given", "minhash: {}", options=options.format(0))
    with pytest.raises(StageError, match=r"^a cluster has \d+ links, and a task that splits clusters holds up to 5 "):
        curate(text, tmp_path / "run")
    curate(recipe(tmp_path / "given", "minhash: {}", options=options.format(1000)), tmp_path / "run")

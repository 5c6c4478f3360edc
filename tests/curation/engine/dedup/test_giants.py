"""Clusters that no task holds: the same verdicts as of one task, from what each bucket knows of its documents."""

from pathlib import Path

import pytest

from curation.core.errors import StageError
from curation.engine.dedup import clusters, giants
from tests.curation.engine.dedup.runs import curate, manifest, recipe, rows, set_buckets, write_shards
from tests.curation.engine.dedup.test_rounds import chain, verdicts
from tests.noting import Noting


@pytest.mark.parametrize("limits", ["{}", "{max_documents: 10}", "{max_diameter: 50}"])
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
    assert apart["sizes"] == together["sizes"] == [[2, 1], [4, 1], [64, 1]]
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
    monkeypatch.setattr(giants, "GIANT", 5)
    options = "local_links: {}\nclusters: {{max_documents: 2, split: true}}"
    text = recipe(tmp_path / "given", "minhash: {}", options=options.format(0))
    with pytest.raises(StageError, match=r"^a cluster has \d+ links, and a task that splits clusters holds up to 5 "):
        curate(text, tmp_path / "run")
    curate(recipe(tmp_path / "given", "minhash: {}", options=options.format(1000)), tmp_path / "run")

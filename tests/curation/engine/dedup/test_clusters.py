"""Clusters with limits: what is above is split, and each dropped document is like its survivor."""

from pathlib import Path

import pytest

from tests.curation.engine.dedup.runs import deduplicated, manifest
from tests.curation.engine.dedup.test_verify import words

STEP = 20  # of 200 words, which each document of the chain has anew


def chain(length: int) -> list[str]:
    """Each document shares nine tenths of its words with the next one, and less with those after it."""
    stream = words(5, 200 + STEP * length)
    return [" ".join(stream[STEP * number : STEP * number + 200]) for number in range(length)]


@pytest.mark.parametrize("local_links", [1000, 0])
def test_a_chain_is_split_by_verification(tmp_path: Path, local_links: int) -> None:
    methods = "minhash: {threshold: 0.7, bands: 28, rows: 4, verify: exact}"  # neighbours 0.81, next ones 0.66
    texts = [chain(6)[:3], chain(6)[3:]]
    whole = deduplicated(tmp_path / "whole", texts, methods, options=f"local_links: {local_links}")
    assert [row["minhash"]["duplicate_of"] for shard in whole for row in shard] == [None, 0, 0, 0, 0, 0]
    options = f"clusters: {{max_diameter: 2, split: true}}\nlocal_links: {local_links}"
    split = deduplicated(tmp_path / "split", texts, methods, options=options)
    second = 1 << 32
    assert [row["minhash"]["duplicate_of"] for shard in split for row in shard] == [None, 0, None, 2, None, second + 1]
    assert {row["minhash"]["cluster"] for shard in split for row in shard} == {0}
    assert [row["minhash"]["copies"] for shard in split for row in shard] == [2] * 6
    found = manifest(tmp_path / "split" / "run").dedup["clusters"]
    assert (found["clusters_above"], found["clusters_split"]) == (1, 1)
    assert found["above"][0]["diameter"] == 5

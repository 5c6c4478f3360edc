"""Counts are sums: however documents are cut into chunks, units and buckets, and wherever their rows go."""

import json
from collections import Counter
from pathlib import Path

import pytest

from curation.engine.executor.inline import Inline
from curation.engine.fit import count, fit_stage
from curation.engine.fit.fit_stage import learned
from curation.engine.fit.portions import portions_of
from curation.engine.run import exchange
from tests.curation.engine.fit.toys import KEPT, Words
from tests.curation.engine.inputs import numbered_shards


@pytest.mark.parametrize("buckets", [1, 4, 32])
def test_counts_are_sums_however_they_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, buckets: int) -> None:
    shards = numbered_shards(tmp_path, shards=4, rows=1000)
    monkeypatch.setattr(count, "CHUNK_BYTES", 1000)
    monkeypatch.setattr(fit_stage, "buckets_for", lambda size: buckets)
    files, record = learned(Words(), portions_of(shards, least=1), Inline())
    assert json.loads(files["words.json"]) == Counter(map(str, KEPT))
    assert record["groups"][0]["documents"] == len(KEPT)
    assert record["groups"][0]["sample_bytes"] == sum(len(str(n)) for n in KEPT)


def test_counts_of_a_balanced_sample(tmp_path: Path) -> None:
    shards = numbered_shards(tmp_path, shards=2, rows=2000, sources=("web", "books"))
    fit = Words(sample_by="source", sample_weights={"web": 1, "books": 0})
    assert json.loads(learned(fit, portions_of(shards), Inline())[0]["words.json"]) == {
        str(n): 1 for n in KEPT if n < 2000
    }


def test_gathered_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "RANGES", 1)
    files, _ = learned(Words(), portions_of(numbered_shards(tmp_path)), Inline())
    assert json.loads(files["words.json"]) == Counter(map(str, KEPT))

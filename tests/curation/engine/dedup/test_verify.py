"""Candidates are compared before they count: near duplicates go, look-alikes of a band stay, whatever the layout."""

from pathlib import Path
from random import Random

import pytest

from tests.curation.engine.dedup.runs import COPY, Rows, deduplicated, manifest, set_buckets

NEAR = COPY % "minhash"


def words(seed: int, count: int = 200) -> list[str]:
    random = Random(seed)
    return ["".join(random.choices("abcdefghijklmnop", k=5)) for _ in range(count)]


def changed(given: list[str], seed: int, share: float) -> list[str]:
    """About `share` of the words replaced, in one run, so that few shingles change."""
    new = words(1000 + seed, round(share * len(given)))
    at = Random(seed).randrange(len(given) - len(new))
    return given[:at] + new + given[at + len(new) :]


def corpus() -> list[list[str]]:
    """30 documents, a near copy of each third, one of each fifth that shares half of its text, and identical ones."""
    texts = [words(seed) for seed in range(30)]
    near = [changed(texts[seed], seed, 0.04) for seed in range(0, 30, 3)]
    half = [changed(texts[seed], seed, 0.5) for seed in range(1, 30, 5)]
    same = [list(texts[2]) for _ in range(5)]
    return [*texts, *near, *half, *same, words(77, 3), words(77, 3)]


def shards(count: int) -> list[list[str]]:
    texts = [" ".join(text) for text in corpus()]
    size = -(-len(texts) // count)
    return [texts[start : start + size] for start in range(0, len(texts), size)]


def survivors(found: Rows) -> list[tuple[str | None, int | None, int]]:
    """Of each document in order: its reason, the place of its survivor among all documents, and its copies."""
    first = [sum(len(shard) for shard in found[:n]) for n in range(len(found))]
    flat = [row for shard in found for row in shard]
    at = [row["minhash"]["duplicate_of"] for row in flat]
    place = [None if doc is None else first[doc >> 32] + (doc & 0xFFFFFFFF) for doc in at]
    return [(row["drop_reason"], one, row["minhash"]["copies"]) for row, one in zip(flat, place, strict=True)]


@pytest.mark.parametrize("verify", ["signature", "exact"])
def test_near_duplicates_go_whatever_the_layout(tmp_path: Path, verify: str, monkeypatch: pytest.MonkeyPatch) -> None:
    methods = f"minhash: {{threshold: 0.8, verify: {verify}}}"
    found = []
    for count, buckets in ((1, 1), (4, 2), (9, 8)):
        set_buckets(monkeypatch, buckets)
        found.append(survivors(deduplicated(tmp_path / f"{count}-{buckets}", shards(count), methods)))
    assert found[0] == found[1] == found[2]
    kept = (None, None, 1)
    near = [(NEAR, seed, 2) for seed in range(0, 30, 3)]
    assert found[0][30:40] == near
    assert found[0][40:46] == [kept] * 6
    assert found[0][46:51] == [(NEAR, 2, 6)] * 5
    assert found[0][51:] == [(None, None, 2), (NEAR, 51, 2)]
    assert found[0][:30] == [(None, None, 6 if seed == 2 else 2 if seed % 3 == 0 else 1) for seed in range(30)]


def test_what_was_counted(tmp_path: Path) -> None:
    deduplicated(tmp_path, shards(4), "minhash: {threshold: 0.8, bands: 28, rows: 4}")
    found = manifest(tmp_path / "run").dedup
    assert found["candidates"] >= found["pairs"] >= found["verified"] >= 10
    assert found["pairs"] > found["verified"]  # halves collide in some band of so few rows, and do not agree
    assert found["skipped"] == {"minhash.skipped": 0}


def test_against_an_earlier_run(tmp_path: Path) -> None:
    texts = shards(3)
    methods = "minhash: {threshold: 0.8}"
    deduplicated(tmp_path / "first", texts[:2], methods)
    second = deduplicated(tmp_path / "second", texts[2:], methods, options=f"against: [{tmp_path}/first/run]")
    together = survivors(deduplicated(tmp_path / "both", texts, methods))
    reasons = [row["drop_reason"] for row in second[0]]
    assert reasons == [one[0] for one in together[-len(reasons) :]]

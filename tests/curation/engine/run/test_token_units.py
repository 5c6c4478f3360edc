"""Which document shards make a token shard; what packing them together leaves, and what a resumed run packs again."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from curation.core.commits import Part
from curation.core.manifest import read_manifest
from curation.engine.run import token_units
from curation.engine.run.token_units import MOST_SHARDS, ShardRun
from tests import takedowns as runs
from tests.commits import uncommit
from tests.noting import Noting


def part(tokens: int, source: str = "web") -> Part:
    return Part("part", source, 0, 1, 1, tokens=tokens)


@pytest.mark.parametrize(
    ("tokens", "counts"),
    [
        pytest.param([], [], id="no shard"),
        pytest.param([3], [1], id="less than a token shard"),
        pytest.param([50], [1], id="a shard larger than any token shard"),
        pytest.param([4, 4, 2, 5, 5], [3, 2], id="exactly enough"),
        pytest.param([4, 5, 4, 6], [3, 1], id="beyond enough; a rest of more than half"),
        pytest.param([10, 5], [1, 1], id="a rest of exactly half"),
        pytest.param([10, 4], [2], id="a rest below half"),
        pytest.param([9, 8, 3], [3], id="a rest that makes exactly twice as much"),
        pytest.param([9, 9, 3], [2, 1], id="a rest that would make more than twice as much"),
        pytest.param([9, 12, 9], [1, 1, 1], id="the next shard would make more than twice as much"),
        pytest.param([0, 0, 0], [3], id="no tokens"),
    ],
)
def test_shards_of_a_token_shard_of_ten_tokens(
    tokens: list[int], counts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_units, "TOKEN_SHARD_BYTES", 20)
    units = token_units.token_units([("t", [part(count) for count in tokens])], 2)
    assert [unit.count for unit in units] == counts
    assert [unit.first for unit in units] == np.cumsum([0, *counts[:-1]]).tolist()[: len(units)]


def test_many_shards_without_tokens_are_several_units() -> None:
    units = token_units.token_units([("t", [part(0)] * (2 * MOST_SHARDS + 1))], 2)
    assert [unit.count for unit in units] == [MOST_SHARDS, MOST_SHARDS + 1]


def test_sources_and_stages_are_not_mixed() -> None:
    upstream = [("a", [part(1, "web"), part(1, "web"), part(1, "code")]), ("b", [part(1, "code"), part(1, "books")])]
    assert token_units.token_units(upstream, 2) == [
        ShardRun("web", "a", number=0, first=0, count=2),
        ShardRun("code", "a", number=2, first=2, count=1),
        ShardRun("code", "b", number=0, first=3, count=1),
        ShardRun("books", "b", number=1, first=4, count=1),
    ]


def test_rows_go_on_from_one_shard_to_the_next(taken_run: Path) -> None:
    """Two shards of news make one token shard, two of books another; in `concat` only its last row is padded."""
    pack = runs.stage_folder(taken_run, "pack")
    manifest = read_manifest(str(pack))
    assert manifest is not None
    assert manifest.tokens is not None
    parts = {part["name"]: part for part in manifest.tokens["parts"]}
    assert {name: part["shards"] for name, part in parts.items()} == {
        "tokens-00000": (0, 2), "validation-00000": (0, 2), "tokens-00001": (2, 2), "validation-00001": (2, 2),
    }  # fmt: skip
    lineage = pq.read_table(pack / "tokens-00000.parquet").to_pylist()
    assert {row["row"] for row in lineage if row["padding"]} <= {parts["tokens-00000"]["rows"] - 1}
    packed = list(dict.fromkeys(row["doc_id"] for row in lineage if not row["padding"]))
    given = [row for row in runs.rows(taken_run, "tokenize") if row["source"] == "news" and row["split"] == "train"]
    assert packed == [row["doc_id"] for row in given]
    assert parts["tokens-00000"]["tokens"] == sum(len(row["tokens"]) for row in given)


def test_a_missing_unit_is_packed_again_and_no_other(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_units, "TOKEN_SHARD_BYTES", 1)
    run = tmp_path / "run"
    noting = Noting()
    runs.curate(sources, run, noting)
    pack = runs.stage_folder(run, "pack")
    whole = runs.hashes(run, without=("_manifest.json",))
    assert [units for step, units in noting.ran if step == "PackStep"] == [[0, 1, 2, 3]]
    noting.ran.clear()
    (pack / "_manifest.json").unlink()
    uncommit(pack, [2])
    (pack / "tokens-00002.idx").unlink()
    runs.curate(sources, run, noting)
    assert [units for step, units in noting.ran if step == "PackStep"] == [[2]]
    again = runs.hashes(run, without=("_manifest.json",))
    group = f"{pack.name}/_commits/group-00000.arrow"  # has the seconds that the unit took
    assert {**again, group: ""} == {**whole, group: ""}

"""What becomes of spans that repeat: listed for every document but the best one that has them."""

from pathlib import Path

import pyarrow as pa
import pytest

from curation.engine.dedup.layout import REPEATED_SCHEMA, ByBlock, Layout
from curation.engine.dedup.repeated_keys import BlockInput, RepeatedKeys, SentRows
from curation.engine.run.routing import Outbox
from curation.engine.run.sent_files import SentFiles, Slices
from tests.curation.engine.dedup.runs import deduplicated, set_buckets

FOOT = "All rights reserved by the people who wrote this page."
SHARDS = [
    [f"one\n{FOOT}\nmore", f"{FOOT}\ntwo"],
    ["nothing repeated here, only a line of its own", ""],
    [f"three\n{FOOT.upper()}"],
]


def spans(found: list[list[dict[str, object]]]) -> list[list[object]]:
    return [[row["line"] for row in shard] for shard in found]


def test_a_line_stays_in_its_first_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for buckets in (1, 4):
        set_buckets(monkeypatch, buckets)
        found = deduplicated(tmp_path / str(buckets), SHARDS, "line: {}")
        none: list[dict[str, int]] = []
        size = len(FOOT)
        assert spans(found) == [
            [
                {"spans": none, "units": 1, "repeated": 0, "text_bytes": 9 + size},
                {"spans": [{"start": 0, "stop": size}], "units": 1, "repeated": 1, "text_bytes": 4 + size},
            ],
            [
                {"spans": none, "units": 1, "repeated": 0, "text_bytes": 45},
                {"spans": none, "units": 0, "repeated": 0, "text_bytes": 0},
            ],
            [{"spans": [{"start": 6, "stop": 6 + size}], "units": 1, "repeated": 1, "text_bytes": 6 + size}],
        ]
        assert {row["drop_reason"] for shard in found for row in shard} == {None}


def test_documents_are_counted_over_all_shards(tmp_path: Path) -> None:
    """Three documents have the line, two of them in one shard."""
    cut = {3: 2, 4: 0}
    for copies, expected in cut.items():
        found = deduplicated(tmp_path / str(copies), SHARDS, f"line: {{min_copies: {copies}}}")
        assert sum(row["line"]["repeated"] for shard in found for row in shard) == expected


def test_within_one_shard(tmp_path: Path) -> None:
    found = deduplicated(tmp_path, [[FOOT, FOOT, FOOT]], "line: {min_copies: 3}", options="keep: longest")
    assert [row["line"]["repeated"] for row in found[0]] == [0, 1, 1]


ONE = 1 << 32
TWO = 2 << 32
SENT = [
    [(ONE + 4, 9, 1, 0, 0), (TWO, 9, 1, 0, 0), (ONE, 3, 0, -1, 1)],  # doc, key_hi, key_lo, best, method
    [(ONE, 9, 0, 7, 0), (0, 5, 5, 5, 0)],
]


@pytest.fixture
def arrived(tmp_path: Path) -> list[Slices]:
    """What each of two blocks was sent, of three shards."""
    layout = Layout(str(tmp_path), 3, 2)
    (tmp_path / "_collided").mkdir()
    commits = []
    for bucket, rows in enumerate(SENT):
        named = [dict(zip(REPEATED_SCHEMA.names, row, strict=True)) for row in rows]
        outbox = Outbox(str(tmp_path), "_collided", bucket)
        outbox.send("repeated", pa.Table.from_pylist(named, REPEATED_SCHEMA), ByBlock(layout))
        commits.append(outbox.done())
    sent = SentFiles.of(str(tmp_path), "_collided", "repeated", commits)
    assert [list(layout.shards_of(block)) for block in range(2)] == [[0, 1], [2]]
    return [sent.to(block, 2) for block in range(2)]


@pytest.mark.parametrize("shards", [(0, 1), (1, 0, 0, 1)])
def test_keys_of_a_shard(arrived: list[Slices], shards: tuple[int, ...]) -> None:
    expected = {0: [(5, 5, 5)], 1: [(9, 0, 7), (9, 1, 0)]}
    keys = RepeatedKeys([arrived[0]])
    for shard in shards:
        rows = keys.of(shard, 0).to_pylist()
        assert [(row["key_hi"], row["key_lo"], row["best"]) for row in rows] == expected[shard]
    assert keys.of(1, 1)["best"].to_pylist() == [-1]
    assert RepeatedKeys([arrived[1]]).of(2, 0)["doc"].to_pylist() == [TWO]
    assert RepeatedKeys([]).of(2, 0).num_rows == 0


def test_rows_of_a_shard_are_in_the_order_of_its_documents(arrived: list[Slices]) -> None:
    sent = SentRows([arrived[0]], REPEATED_SCHEMA)
    assert [sent.of(shard)["doc"].to_pylist() for shard in (1, 2, 0)] == [[ONE, ONE, ONE + 4], [], [0]]


def test_a_block_names_its_shards() -> None:
    block = BlockInput(3, (("a.parquet", "home.parquet"), ("b.parquet",)), {})
    assert list(block.shards()) == [(3, ("a.parquet", "home.parquet")), (4, ("b.parquet",))]
    assert block.path == "a.parquet to b.parquet"

"""A shard is sent the keys of its own documents only, sorted so that they can be looked up."""

from pathlib import Path

import pyarrow as pa
import pytest

from curation.engine.dedup.layout import REPEATED_SCHEMA, ByBlock, Layout
from curation.engine.dedup.repeated_keys import BlockInput, RepeatedKeys, SentRows
from curation.engine.run.routing import Outbox
from curation.engine.run.sent_files import SentFiles, Slices

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

"""A shard is sent the keys of its own documents only, sorted so that they can be looked up."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.engine.dedup.layout import REPEATED_SCHEMA, Layout
from curation.engine.dedup.repeated_keys import RepeatedKeys, SentRows
from curation.engine.run.routing import write_routed

ONE, TWO = 1 << 32, 2 << 32
SENT = [
    [(ONE + 4, 9, 1, 0, 0), (TWO, 9, 1, 0, 0), (ONE, 3, 0, -1, 1)],  # doc, key_hi, key_lo, best, method
    [(ONE, 9, 0, 7, 0), (0, 5, 5, 5, 0)],
]


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(str(tmp_path), 3, 2)
    (tmp_path / layout.collided).mkdir()
    for bucket, rows in enumerate(SENT):
        named = [dict(zip(REPEATED_SCHEMA.names, row, strict=True)) for row in rows]
        table = pa.Table.from_pylist(named, REPEATED_SCHEMA)
        path = layout.file(layout.collided, "repeated", bucket)
        write_routed(path, table, layout.block_of(np.asarray(table["doc"])), 2)
    return layout


@pytest.mark.parametrize("shards", [(0, 1, 2), (2, 0, 1, 1)])
def test_keys_of_a_shard(layout: Layout, shards: tuple[int, ...]) -> None:
    expected = {0: [(5, 5, 5)], 1: [(9, 0, 7), (9, 1, 0)], 2: [(9, 1, 0)]}
    keys = RepeatedKeys(layout)
    for shard in shards:
        rows = keys.of(shard, 0).to_pylist()
        assert [(row["key_hi"], row["key_lo"], row["best"]) for row in rows] == expected[shard]
    assert keys.of(1, 1)["best"].to_pylist() == [-1]


def test_rows_of_a_shard_are_in_the_order_of_its_documents(layout: Layout) -> None:
    files = [layout.file(layout.collided, "repeated", bucket) for bucket in range(2)]
    sent = SentRows(layout, files, REPEATED_SCHEMA)
    assert [sent.of(shard)["doc"].to_pylist() for shard in (1, 2, 0)] == [[ONE, ONE, ONE + 4], [TWO], [0]]

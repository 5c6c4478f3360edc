"""A shard hears of its own keys only, sorted so that they can be looked up."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from curation.engine.dedup.layout import SAID_SCHEMA, Layout
from curation.engine.dedup.repeated_keys import told
from curation.engine.run.routing import write_routed


def test_told(tmp_path: Path) -> None:
    layout = Layout(str(tmp_path), 3, 2)
    (tmp_path / layout.collided).mkdir()
    one, two = 1 << 32, 2 << 32
    said = [
        [(one + 4, 9, 1, 0, 0), (two, 9, 1, 0, 0), (one, 3, 0, -1, 1)],  # doc, key_hi, key_lo, best, method
        [(one, 9, 0, 7, 0), (0, 5, 5, 5, 0)],
    ]
    for bucket, given in enumerate(said):
        table = pa.Table.from_pylist([dict(zip(SAID_SCHEMA.names, row, strict=True)) for row in given], SAID_SCHEMA)
        write_routed(layout.file(layout.collided, "said", bucket), table, layout.block_of(np.asarray(table["doc"])), 2)
    found = {shard: told(layout, shard, 0) for shard in range(3)}
    assert [[(r["key_hi"], r["key_lo"], r["best"]) for r in found[n].to_pylist()] for n in range(3)] == [
        [(5, 5, 5)],
        [(9, 0, 7), (9, 1, 0)],
        [(9, 1, 0)],
    ]
    assert told(layout, 1, 1)["best"].to_pylist() == [-1]

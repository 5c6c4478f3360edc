"""Which keys are written after a pre-pass, by the kind of their method."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from curation.dedup.bloom import Bloom
from curation.dedup.exact import Exact
from curation.dedup.line import Line
from curation.dedup.simhash import Simhash
from curation.engine.dedup.layout import KEY_SCHEMA, Layout
from curation.engine.dedup.sketches import only_repeated, sketch_path, sketched_keys
from curation.models.bloom.two_bit_sketch import TwoBitSketch

METHODS = (("exact", Exact()), ("line", Line()), ("simhash", Simhash()), ("bloom", Bloom(expected_items=9)))
SPREAD = 0x9E3779B97F4A7C15


def keys(*rows: tuple[int, int, int, int]) -> pa.Table:
    """(hi, lo, copies, method), hi and lo spread over 64 bits."""
    names = ("key_hi", "key_lo", "copies", "method")
    given = [dict(zip(names, (hi * SPREAD % 2**64, lo * SPREAD % 2**64, *rest), strict=True)) for hi, lo, *rest in rows]
    return pa.Table.from_pylist([{"doc": n, "rank": 1, **one} for n, one in enumerate(given)], KEY_SCHEMA)


def test_what_is_written(tmp_path: Path) -> None:
    layout = Layout(str(tmp_path), 1, 1)
    (tmp_path / "_sketch").mkdir()
    seen = keys((1, 1, 1, 0), (1, 1, 1, 0), (2, 2, 1, 0), (3, 4, 1, 2), (3, 5, 1, 2))
    hi, lo = sketched_keys(seen)
    assert lo[3] == lo[4]  # some methods pair what has an equal hi
    for bucket in range(2):
        sketch = TwoBitSketch.sized(1000, buckets=2)
        own = (hi >> np.uint64(63)) == bucket
        sketch.add(hi[own], lo[own])
        Path(sketch_path(layout, bucket)).write_bytes(sketch.to_bytes())
    given = keys((1, 1, 1, 0), (2, 2, 1, 0), (3, 9, 1, 2), (7, 7, 2, 1), (8, 8, 1, 1), (9, 9, 1, 3))
    assert only_repeated(layout, METHODS, given, 2)["doc"].to_pylist() == [0, 2, 3, 5]

"""What buckets told a shard: the keys of its own that stand in other documents too."""

from functools import lru_cache

import numpy as np
import pyarrow as pa

from curation.core.document import ROW_BITS
from curation.engine.dedup.layout import SAID_SCHEMA, Layout
from curation.engine.run.routing import read_all


@lru_cache(maxsize=1)
def _block(layout: Layout, block: int) -> pa.Table:
    """What all buckets told a block: neighbouring shards ask for the same."""
    files = [layout.file(layout.collided, "said", bucket) for bucket in range(layout.buckets)]
    return read_all(files, SAID_SCHEMA, block)


@lru_cache(maxsize=8)
def told(layout: Layout, shard: int, method: int) -> pa.Table:
    """Keys that the shard was told of for a method, sorted by (hi, lo)."""
    table = of_shard(_block(layout, layout.block_of_shard(shard)), shard)
    table = table.filter(np.asarray(table["method"]) == method)
    order = np.lexsort((np.asarray(table["key_lo"]), np.asarray(table["key_hi"])))
    return table.take(pa.array(order)).combine_chunks()


def of_shard(table: pa.Table, shard: int) -> pa.Table:
    """The rows whose `doc` is of the shard."""
    return table.filter(pa.array(np.asarray(table["doc"]) >> ROW_BITS == shard))

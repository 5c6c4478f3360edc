"""What earlier steps sent to a shard: rows about its documents, and its keys that stand in other documents too."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from curation.core.document import ROW_BITS
from curation.engine.dedup.layout import REPEATED_SCHEMA, Layout
from curation.engine.run.routing import read_all


class SentRows:
    """Rows of `schema` with a column `doc`, which the files hold by block. Remembers the last block and shard: a step
    asks for a shard's rows once per batch, and its next shard is often of the same block."""

    def __init__(self, layout: Layout, files: Sequence[str], schema: pa.Schema) -> None:
        self._layout, self._files, self._schema = layout, tuple(files), schema
        self._block, self._block_rows = -1, schema.empty_table()
        self._shard, self._shard_rows = -1, schema.empty_table()

    def of(self, shard: int) -> pa.Table:
        """The rows about documents of the shard, sorted by `doc`."""
        if shard != self._shard:
            block = self._layout.block_of_shard(shard)
            if block != self._block:
                self._block, self._block_rows = block, read_all(self._files, self._schema, block)
            own = np.asarray(self._block_rows["doc"]) >> ROW_BITS == shard
            self._shard, self._shard_rows = shard, self._block_rows.filter(pa.array(own)).sort_by("doc")
        return self._shard_rows


class RepeatedKeys:
    """The keys of a shard that other documents have too, as the buckets of one round sent them."""

    def __init__(self, layout: Layout) -> None:
        files = [layout.file(layout.collided, "repeated", bucket) for bucket in range(layout.buckets)]
        self._sent = SentRows(layout, files, REPEATED_SCHEMA)
        self._shard, self._by_method = -1, dict[int, pa.Table]()

    def of(self, shard: int, method: int) -> pa.Table:
        """Those of one method, sorted by (key_hi, key_lo)."""
        if shard != self._shard:
            self._shard, self._by_method = shard, {}
        if method not in self._by_method:
            table = self._sent.of(shard)
            table = table.filter(np.asarray(table["method"]) == method)
            order = np.lexsort((np.asarray(table["key_lo"]), np.asarray(table["key_hi"])))
            self._by_method[method] = table.take(pa.array(order)).combine_chunks()
        return self._by_method[method]

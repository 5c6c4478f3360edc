"""What earlier steps sent to a block: rows about its shards' documents, and keys that other documents have too."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from curation.core.composed import Files
from curation.core.document import ROW_BITS
from curation.engine.dedup.layout import REPEATED_SCHEMA
from curation.engine.run.sent_files import Slices


@dataclass(frozen=True, eq=False)
class BlockInput:
    """The input of a task on a block: the first shard's number, the shards' files, and what the block was sent, by
    name."""

    first: int
    paths: tuple[Files, ...]
    sent: Mapping[str, Sequence[Slices]]

    @property
    def path(self) -> str:
        return f"{self.paths[0][0]} to {self.paths[-1][0]}" if len(self.paths) > 1 else self.paths[0][0]

    def shards(self) -> Iterator[tuple[int, Files]]:
        """Number and files of each shard."""
        return enumerate(self.paths, self.first)


class SentRows:
    """The rows that a block was sent, of a schema with a column `doc`; they are read once."""

    def __init__(self, slices: Iterable[Slices], schema: pa.Schema) -> None:
        rows = pa.concat_tables([schema.empty_table(), *(part.table(schema) for part in slices)])
        self._rows = rows.take(pa.array(np.argsort(np.asarray(rows["doc"]), kind="stable"))).combine_chunks()
        self._docs = np.asarray(self._rows["doc"])

    def of(self, shard: int) -> pa.Table:
        """The rows about documents of the shard, sorted by `doc`."""
        first, last = np.searchsorted(self._docs, [shard << ROW_BITS, (shard + 1) << ROW_BITS]).tolist()
        return self._rows.slice(first, last - first)


class RepeatedKeys:
    """The keys of a block's shards that other documents have too, as the buckets of one round sent them."""

    def __init__(self, slices: Iterable[Slices]) -> None:
        self._sent = SentRows(slices, REPEATED_SCHEMA)
        self._shard = -1
        self._by_method = dict[int, pa.Table]()

    def of(self, shard: int, method: int) -> pa.Table:
        """The keys of one method, sorted by (key_hi, key_lo)."""
        if shard != self._shard:
            self._shard = shard
            self._by_method = {}
        if method not in self._by_method:
            table = self._sent.of(shard)
            table = table.filter(np.asarray(table["method"]) == method)
            order = np.lexsort((np.asarray(table["key_lo"]), np.asarray(table["key_hi"])))
            self._by_method[method] = table.take(pa.array(order)).combine_chunks()
        return self._by_method[method]

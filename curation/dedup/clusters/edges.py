"""Edges between duplicates, and the numbering of their documents for graph kernels.

A node is a document with its rank, which is the same wherever it occurs. Nodes are ordered by (rank, doc); of two
duplicates the smaller survives. E edges join N nodes. All tables here are parallel arrays of equal length, and go to
and from Arrow under their `schema`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.document import bucket_of
from curation.core.protocols import Ints
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.mix64 import murmur3_each

Ranks: TypeAlias = npt.NDArray[np.uint32]

EDGE_SCHEMA = pa.schema(
    [("rank_a", pa.uint32()), ("doc_a", pa.int64()), ("rank_b", pa.uint32()), ("doc_b", pa.int64())]
)
LABEL_SCHEMA = pa.schema(
    [("doc", pa.int64()), ("rank", pa.uint32()), ("root_rank", pa.uint32()), ("root_doc", pa.int64())]
)


@dataclass(frozen=True, eq=False)
class Rows:
    """Parallel arrays, named and typed as in `schema`."""

    schema: ClassVar[pa.Schema]

    @classmethod
    def concat(cls, parts: Sequence[Self]) -> Self:
        """The rows of all parts, in order."""
        kinds = {field.name: field.type.to_pandas_dtype() for field in cls.schema}
        return cls(**{n: np.concatenate([np.empty(0, t), *(getattr(p, n) for p in parts)]) for n, t in kinds.items()})

    @classmethod
    def from_table(cls, table: pa.Table | pa.RecordBatch) -> Self:
        """Raises ValueError if a column of the schema is missing or has nulls, TypeError if its type differs."""
        missing = [name for name in cls.schema.names if name not in table.schema.names]
        if missing:
            raise ValueError(f"rows of {cls.__name__} need the columns {', '.join(missing)}")
        return cls(**{field.name: _values(table.column(field.name), field) for field in cls.schema})

    def to_table(self) -> pa.Table:
        return pa.table([getattr(self, name) for name in self.schema.names], schema=self.schema)

    def take(self, rows: npt.NDArray[Any]) -> Self:
        """The rows at these indices, or where a mask is true."""
        return type(self)(**{name: getattr(self, name)[rows] for name in self.schema.names})

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))


def _values(column: pa.Array | pa.ChunkedArray, field: pa.Field) -> npt.NDArray[Any]:
    if column.type != field.type:
        raise TypeError(f"column {field.name} is {column.type}, expected {field.type}")
    if column.null_count:
        raise ValueError(f"column {field.name} has nulls")
    return np.asarray(column)


@dataclass(frozen=True, eq=False)
class Edges(Rows):
    """E edges, in any order, either end first; repeats and self-loops are allowed."""

    rank_a: Ranks
    doc_a: Ints
    rank_b: Ranks
    doc_b: Ints

    schema: ClassVar[pa.Schema] = EDGE_SCHEMA


@dataclass(frozen=True, eq=False)
class Labels(Rows):
    """The component of each of N documents, named by its smallest node, the root."""

    doc: Ints
    rank: Ranks
    root_rank: Ranks
    root_doc: Ints

    schema: ClassVar[pa.Schema] = LABEL_SCHEMA


@dataclass(frozen=True, eq=False)
class LinkGraph:
    """N documents numbered in the order of survival: node i is rank[i], doc[i]; edge e joins nodes a[e] and b[e]."""

    rank: Ranks  # [N]
    doc: Ints  # [N]
    a: Ints  # [E]
    b: Ints  # [E]


def number_nodes(edges: Edges) -> LinkGraph:
    """Each document of the edges once, numbered so that comparing nodes is comparing numbers."""
    docs = np.concatenate([edges.doc_a, edges.doc_b])
    ranks = np.concatenate([edges.rank_a, edges.rank_b])
    order = np.argsort(docs)
    first, number = _number(docs[order], order)
    doc = docs[first]
    rank = ranks[first]
    if len(rank) and rank.min() != rank.max():
        # By rank, then by doc, the order in which they are numbered already: one sort of one word each.
        order = np.argsort(rank.astype(np.uint64) << np.uint64(32) | np.arange(len(rank), dtype=np.uint64))
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        doc = doc[order]
        rank = rank[order]
        number = place[number]
    return LinkGraph(rank, doc, number[: len(edges)], number[len(edges) :])


@kernel
def _number(values: Ints, order: Ints) -> tuple[Ints, Ints]:
    """For values[V] in ascending order, from places order[V]: the first place of each distinct value, [N], and the
    number of the value at each place, [V]."""
    first = np.empty(values.size, np.int64)
    number = np.empty(values.size, np.int64)
    count = 0
    for i in range(values.size):
        if i == 0 or values[i] != values[i - 1]:
            first[count] = order[i]
            count += 1
        number[order[i]] = count - 1
    return first[:count].copy(), number


def bucket_of_doc(doc: Ints, buckets: int) -> Ints:
    """int64[N]: the bucket of each document, in [0, buckets), by a mixed hash that spreads neighbouring documents."""
    return bucket_of(murmur3_each(doc.astype(np.uint64)), buckets)


@kernel
def find(parent: Out[Ints], node: Int) -> Int:
    """The root of a node's tree in parent[N]; halves the path on the way."""
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


@kernel
def roots(nodes: Int, a: Ints, b: Ints) -> Ints:
    """int64[nodes]: the smallest node connected with each one by the edges a[E], b[E]."""
    parent = np.arange(nodes)
    for edge in range(a.size):
        root_a = find(parent, a[edge])
        root_b = find(parent, b[edge])
        parent[max(root_a, root_b)] = min(root_a, root_b)
    for node in range(nodes):  # a parent is never larger than its child, so its root is known already
        parent[node] = parent[parent[node]]
    return parent

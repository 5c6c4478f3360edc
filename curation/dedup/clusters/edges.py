"""Edges between duplicates, and the numbering of their documents that graph kernels work on.

A node is a document with its rank; nodes are ordered by (rank, doc), and of two duplicates the smaller survives. A
document has the same rank wherever it occurs. E edges join N nodes; all tables here are parallel arrays of equal
length, and go to and from Arrow under their `schema`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.document import bucket_of
from curation.text.kernels.compiled import Int, Out, kernel
from curation.text.kernels.mix64 import murmur3_each

Ints: TypeAlias = npt.NDArray[np.int64]
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
    def empty(cls) -> Self:
        return cls.concat([])

    @classmethod
    def concat(cls, parts: Sequence[Self]) -> Self:
        """The rows of all parts, in order."""
        kinds = {field.name: field.type.to_pandas_dtype() for field in cls.schema}
        return cls(**{n: np.concatenate([np.empty(0, t), *(getattr(p, n) for p in parts)]) for n, t in kinds.items()})

    @classmethod
    def from_table(cls, table: pa.Table | pa.RecordBatch) -> Self:
        """Raises ValueError where a column of the schema is missing or has nulls, TypeError where its type differs."""
        missing = [name for name in cls.schema.names if name not in table.schema.names]
        if missing:
            raise ValueError(f"rows of {cls.__name__} need the columns {', '.join(missing)}")
        return cls(**{field.name: _values(table.column(field.name), field) for field in cls.schema})

    def to_table(self) -> pa.Table:
        return pa.table([getattr(self, name) for name in self.schema.names], schema=self.schema)

    def take(self, rows: npt.NDArray[Any]) -> Self:
        """The rows at these indices, or those where a mask is true."""
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
    """E edges, in any order, either end first; some may be given repeatedly or join a document with itself."""

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
class Nodes:
    """N documents numbered in the order of survival: node i is rank[i], doc[i]; edge e joins nodes a[e] and b[e]."""

    rank: Ranks  # [N]
    doc: Ints  # [N]
    a: Ints  # [E]
    b: Ints  # [E]


def number_nodes(edges: Edges) -> Nodes:
    """Every document of the edges once, numbered so that to compare two nodes is to compare two numbers."""
    docs, ranks = np.concatenate([edges.doc_a, edges.doc_b]), np.concatenate([edges.rank_a, edges.rank_b])
    order = np.argsort(docs)
    first, number = _number(docs[order], order)
    doc, rank = docs[first], ranks[first]
    if len(rank) and rank.min() != rank.max():
        # By rank, then by doc, in which order they are numbered already: one sort of one word for each.
        order = np.argsort(rank.astype(np.uint64) << np.uint64(32) | np.arange(len(rank), dtype=np.uint64))
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        doc, rank, number = doc[order], rank[order], place[number]
    return Nodes(rank, doc, number[: len(edges)], number[len(edges) :])


@kernel
def _number(values: Ints, order: Ints) -> tuple[Ints, Ints]:
    """Of values[V] in ascending order that stood at order[V] before: where each different one stood, [N], and for
    each place the number of its value, [V]."""
    first, number = np.empty(values.size, np.int64), np.empty(values.size, np.int64)
    count = 0
    for i in range(values.size):
        if i == 0 or values[i] != values[i - 1]:
            first[count] = order[i]
            count += 1
        number[order[i]] = count - 1
    return first[:count].copy(), number


def distinct_pairs(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Each pair of numbers below 2^32 once, sorted by the first and then the second."""
    packed = np.sort(first.astype(np.uint64) << np.uint64(32) | second.astype(np.uint64))
    fresh = np.ones(len(packed), bool)
    fresh[1:] = packed[1:] != packed[:-1]
    packed = packed[fresh]
    return (packed >> np.uint64(32)).astype(np.int64), (packed & np.uint64(0xFFFFFFFF)).astype(np.int64)


def bucket_of_doc(doc: Ints, buckets: int) -> Ints:
    """int64[N]: the bucket of each document, in [0, buckets), by a mixed hash: neighbouring documents lie apart."""
    return bucket_of(murmur3_each(doc.astype(np.uint64)), buckets)


@kernel
def find(parent: Out[Ints], node: Int) -> Int:
    """The root of a node's tree in parent[N], whose path is halved on the way."""
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


@kernel
def roots(nodes: Int, a: Ints, b: Ints) -> Ints:
    """int64[nodes]: the smallest node that each one is connected with, by the edges a[E], b[E]."""
    parent = np.arange(nodes)
    for edge in range(a.size):
        one, other = find(parent, a[edge]), find(parent, b[edge])
        parent[max(one, other)] = min(one, other)
    for node in range(nodes):  # no parent is larger than its child, so each parent's root is known
        parent[node] = parent[parent[node]]
    return parent

"""Edges as tables, distinct edges, the numbering of nodes, and the buckets of documents."""

import numpy as np
import pyarrow as pa

from curation.dedup.clusters.edges import EDGE_SCHEMA, Edges, bucket_of_doc, number_nodes, roots

Node = tuple[int, int]
BIG = (2**31 - 1) << 32 | (2**32 - 1)  # the largest document there is


def edges(*pairs: tuple[Node, Node]) -> Edges:
    """Edges between (rank, doc) and (rank, doc)."""
    columns = [np.array([pair[end][part] for pair in pairs]) for end in (0, 1) for part in (0, 1)]
    return Edges(*(column.astype(kind) for column, kind in zip(columns, ("u4", "i8", "u4", "i8"), strict=True)))


def pairs(edges: Edges) -> list[tuple[Node, Node]]:
    columns = (getattr(edges, name).tolist() for name in EDGE_SCHEMA.names)
    return [((ra, a), (rb, b)) for ra, a, rb, b in zip(*columns, strict=True)]


ONE = (5, 10)
TWO = (5, BIG)
THREE = (2**32 - 1, 0)


def test_to_a_table_and_back() -> None:
    given = edges((ONE, TWO), (THREE, ONE))
    table = given.to_table()
    assert table.schema == EDGE_SCHEMA
    assert table.column("doc_b").to_pylist() == [BIG, 10]
    assert pairs(Edges.from_table(table)) == [(ONE, TWO), (THREE, ONE)]
    assert pairs(Edges.from_table(pa.concat_tables([table, table.slice(1)]))) == [
        (ONE, TWO),
        (THREE, ONE),
        (THREE, ONE),
    ]


def test_a_batch_with_more_columns() -> None:
    table = edges((ONE, TWO)).to_table().append_column("method", pa.array(["exact"]))
    assert pairs(Edges.from_table(table.to_batches()[0])) == [(ONE, TWO)]


def test_concat_and_take() -> None:
    joined = Edges.concat([edges((ONE, TWO)), Edges.concat([]), edges((TWO, THREE), (THREE, ONE))])
    assert len(joined) == 3
    assert joined.rank_a.dtype == np.uint32
    assert pairs(joined.take(np.array([2, 0]))) == [(THREE, ONE), (ONE, TWO)]
    assert pairs(joined.take(joined.doc_a == BIG)) == [(TWO, THREE)]


def test_nodes_are_numbered_in_the_order_of_survival() -> None:
    low_rank = (0, 900)
    high_rank = (7, 3)
    nodes = number_nodes(edges((high_rank, THREE), (TWO, low_rank), (ONE, ONE), (THREE, low_rank)))
    assert list(zip(nodes.rank.tolist(), nodes.doc.tolist(), strict=True)) == [low_rank, ONE, TWO, high_rank, THREE]
    assert (nodes.a.tolist(), nodes.b.tolist()) == ([3, 2, 1, 4], [4, 0, 1, 0])


def test_nodes_of_one_rank_are_numbered_by_document() -> None:
    nodes = number_nodes(edges(((0, 30), (0, 10)), ((0, 20), (0, 30))))
    assert (nodes.doc.tolist(), nodes.a.tolist(), nodes.b.tolist()) == ([10, 20, 30], [2, 1], [0, 2])


def test_roots_by_hand() -> None:
    assert roots(7, np.array([6, 4, 2, 3]), np.array([4, 2, 4, 3])).tolist() == [0, 1, 2, 3, 2, 5, 2]
    assert roots(0, np.empty(0, np.int64), np.empty(0, np.int64)).tolist() == []


def test_buckets_are_even_and_do_not_change() -> None:
    docs = np.concatenate([np.arange(50_000), np.arange(50_000) << 32])
    counts = np.bincount(bucket_of_doc(docs, 10), minlength=10)
    assert counts.sum() == 100_000
    assert 9_500 < counts.min() <= counts.max() < 10_500
    assert bucket_of_doc(docs, 1).max() == 0
    # MurmurHash3's finaliser of 0 is 0, of 1 is 0xB456BCFC34C2CB2C: above 11/16 of the range.
    assert bucket_of_doc(np.array([0, 1]), 16).tolist() == [0, 11]

"""Rows keep their order and numbers, whatever the batches; blocks are bounded."""

import pyarrow as pa
import pytest

from curation.engine.run.row_stream import RowStream, read_ahead


def batches(*sizes: int) -> list[pa.RecordBatch]:
    ends = [sum(sizes[: at + 1]) for at in range(len(sizes))]
    return [pa.record_batch({"x": list(range(end - size, end))}) for size, end in zip(sizes, ends, strict=True)]


def values(stream: list[pa.RecordBatch]) -> list[list[int]]:
    return [batch["x"].to_pylist() for batch in stream]


def test_small_batches_are_put_together() -> None:
    rows = RowStream(batches(1, 2, 0, 3, 5, 1), 4)
    assert [(first, block["x"].to_pylist()) for first, block in rows.blocks()] == [
        (0, [0, 1, 2]),
        (3, [3, 4, 5]),
        (6, [6, 7, 8, 9, 10]),
        (11, [11]),
    ]
    assert rows.seen == 12


def test_a_range_of_rows_and_all_are_counted() -> None:
    rows = RowStream(batches(3, 3, 3), 4)
    assert values(list(rows.between(2, 7))) == [[2], [3, 4, 5], [6]]
    assert rows.seen == 9
    assert values(list(RowStream(batches(3)).between(0, 0))) == []


def test_crashed_rows_are_named_within_their_block() -> None:
    found = list(RowStream(batches(3, 3), 4).with_crashed([(1, "a"), (5, "b")]))
    assert [crashed for _, crashed in found] == [{1: "a"}, {2: "b"}]


def test_reading_ahead_changes_nothing() -> None:
    assert values(list(read_ahead(iter(batches(2, 1, 3))))) == [[0, 1], [2], [3, 4, 5]]
    assert list(read_ahead(iter([]))) == []

    def breaks() -> object:
        yield from batches(1)
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011 - any
        list(read_ahead(breaks()))  # type: ignore[arg-type]

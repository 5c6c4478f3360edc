"""Rows of one file by their numbers, in the order asked for, from the row groups in which they are."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from curation.account.run.rows import read, scan, take


@pytest.fixture
def file(tmp_path: Path) -> str:
    """20 rows in row groups of 6; `square` is a field of `of`."""
    numbers = pa.array(range(20))
    table = pa.table({"n": numbers, "of": pa.StructArray.from_arrays([pc.power(numbers, 2)], ["square"])})
    pq.write_table(table, tmp_path / "part.parquet", row_group_size=6)
    return str(tmp_path / "part.parquet")


@pytest.mark.parametrize("rows", [[], [0], [19], [5, 6], [3, 4, 18], [18, 0, 7, 6], [2, 2, 13, 2]], ids=str)
def test_rows_in_the_order_asked_for(file: str, rows: list[int]) -> None:
    table = take(file, np.array(rows, np.int64))
    assert table["n"].to_pylist() == rows
    assert [one["square"] for one in table["of"].to_pylist()] == [n * n for n in rows]
    assert take(file, np.array(rows, np.int64), ["n"]).column_names == ["n"]


def test_reduced_before_they_are_put_together(file: str) -> None:
    def doubled(table: pa.Table) -> pa.Table:
        return pa.table({"m": pc.multiply(table["n"], 2)})

    assert take(file, np.array([13, 1]), ["n"], reduce=doubled).to_pydict() == {"m": [26, 2]}
    assert take(file, np.array([], np.int64), ["n"], reduce=doubled).to_pydict() == {"m": []}


@pytest.mark.parametrize("row", [-1, 20])
def test_a_row_that_is_not_there(file: str, row: int) -> None:
    with pytest.raises(IndexError):
        take(file, np.array([row]))


def test_one_field_of_a_struct(file: str) -> None:
    assert read(file, ["of.square"])["of"].to_pylist()[3] == {"square": 9}
    (batch,) = scan(file, ["of.square", "n"], pc.field("n") == 3)
    assert batch.to_pylist() == [{"of.square": 9, "n": 3}]


def test_row_groups_that_a_condition_rules_out_are_not_read(file: str) -> None:
    content = bytearray(Path(file).read_bytes())
    column = pq.read_metadata(file).row_group(0).column(0)
    start = column.dictionary_page_offset or column.data_page_offset
    content[start : start + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    Path(file).write_bytes(bytes(content))
    assert [row["n"] for batch in scan(file, ["n"], pc.field("n") > 12) for row in batch.to_pylist()] == [
        *range(13, 20)
    ]

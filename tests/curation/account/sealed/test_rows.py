"""Rows of a shard by their numbers or by a condition, from a stage's own file or the one before."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from curation.account.sealed.rows import columns_in, read, scan
from tests.curation.account.corpus import spoil

REASONS = [None if n % 2 else "a.b:low" for n in range(40)]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """40 rows, of which the 20 odd ones were kept, and those 20 in the stage after; row groups of 6 there."""
    pq.write_table(pa.table({"text": list(map(str, range(40))), "drop_reason": REASONS}), tmp_path / "first.parquet")
    numbers = pa.array(range(20))
    own = {"n": numbers, "of": pa.StructArray.from_arrays([pc.power(numbers, 2)], ["square"])}
    table = pa.table({**own, "drop_reason": pa.nulls(20, pa.string())})
    pq.write_table(table, tmp_path / "second.parquet", row_group_size=6)
    return str(tmp_path / "second.parquet"), str(tmp_path / "first.parquet")


@pytest.mark.parametrize("rows", [[], [0], [19], [5, 6], [3, 4, 18]], ids=str)
def test_rows_by_number(files: tuple[str, str], rows: list[int]) -> None:
    table = read(files, ["n", "of.square", "text"], np.array(rows, np.int64))
    assert table["n"].to_pylist() == rows
    assert table["text"].to_pylist() == [str(2 * row + 1) for row in rows]
    assert [one["square"] for one in table["of"].to_pylist()] == [n * n for n in rows]


def test_one_field_of_a_struct(files: tuple[str, str]) -> None:
    assert read(files, ["of.square"])["of"].to_pylist()[3] == {"square": 9}
    (batch,) = scan(files, ["of.square", "n"], pc.field("n") == 3, ["n"])
    assert batch.to_pylist() == [{"of.square": 9, "n": 3}]


def test_a_condition_on_another_column_than_those_asked_for(files: tuple[str, str]) -> None:
    rows = [row for batch in scan(files, ["text"], pc.field("of", "square") > 300, ["of"]) for row in batch.to_pylist()]
    assert rows == [{"text": "37"}, {"text": "39"}]
    assert list(scan(files, ["text"], pc.field("n") > 30, ["n"])) == []
    assert sum(batch.num_rows for batch in scan(files, ["text"], pc.scalar(True))) == 20


def test_the_columns_that_a_condition_is_on() -> None:
    schema = pa.schema([("n", pa.int64()), ("of", pa.struct([("square", pa.int64())])), ("text", pa.string())])
    assert columns_in((pc.field("of", "square") > 1) & pc.field("n").is_null(), schema) == ["n", "of"]
    assert columns_in(pc.scalar(True), schema) == []


def test_row_groups_that_no_row_is_wanted_of_are_not_read(files: tuple[str, str]) -> None:
    spoil(Path(files[0]), "of.square", groups=1)
    found = [row["of"] for batch in scan(files, ["of"], pc.field("n") > 12, ["n"]) for row in batch.to_pylist()]
    assert found == [{"square": n * n} for n in range(13, 20)]

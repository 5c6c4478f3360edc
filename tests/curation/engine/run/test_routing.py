"""Rows reach their receiver, all of them and in their order."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.core.errors import StageError
from curation.engine.run.routing import read_all, read_routed, write_routed, write_table


def test_each_receiver_gets_its_rows_in_order(tmp_path: Path) -> None:
    path, table = str(tmp_path / "a.arrow"), pa.table({"n": [10, 11, 12, 13, 14]})
    write_routed(path, table, np.array([2, 0, 2, 0, 2]), 4)
    assert [read_routed(path, number)["n"].to_pylist() for number in range(4)] == [[11, 13], [], [10, 12, 14], []]


def test_several_senders(tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{n}.arrow") for n in range(3)]
    for number, path in enumerate(paths):
        write_routed(path, pa.table({"n": [number, number + 10]}), np.array([1, 0]), 2)
    schema = pa.schema([("n", pa.int64())])
    assert read_all(paths, schema, 0)["n"].to_pylist() == [10, 11, 12]
    assert read_all([], schema, 0).num_rows == 0


def test_a_single_receiver(tmp_path: Path) -> None:
    path, table = str(tmp_path / "a.arrow"), pa.table({"text": ["a", None], "bytes": [b"x", b""]})
    write_table(path, table)
    assert read_routed(path).equals(table)


def test_equal_rows_give_equal_bytes(tmp_path: Path) -> None:
    table = pa.table({"n": np.arange(1000)})
    for name in "ab":
        write_routed(str(tmp_path / name), table, np.arange(1000) % 7, 7)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_no_such_receiver(tmp_path: Path) -> None:
    path = str(tmp_path / "a.arrow")
    write_routed(path, pa.table({"n": [1]}), np.array([0]), 1)
    with pytest.raises(ValueError, match="out of range"):
        read_routed(path, 1)


@pytest.mark.parametrize("size", [None, 0, 100])
def test_a_file_that_is_gone_or_was_cut_short_is_named(tmp_path: Path, size: int | None) -> None:
    path = tmp_path / "a.arrow"
    write_table(str(path), pa.table({"n": [1]}))
    if size is None:
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(
        StageError, match=r"a\.arrow cannot be read: .*; delete its stage's folder to have it made again"
    ):
        read_routed(str(path))

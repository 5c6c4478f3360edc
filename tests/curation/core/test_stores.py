"""Files in an object store: created once, read in ranges, whole under faults."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core import storage, stores
from curation.core.new_file import NewFile, write_new
from curation.core.parquet_file import open_parquet
from tests.object_store import RATES, Store
from tests.object_store import server as server
from tests.object_store import store as store


def test_files_come_and_go(store: Store) -> None:
    storage.write_bytes("s3://bucket/run/a.json", b"{}")
    write_new("s3://bucket/run/stage/part-00000.parquet", b"x" * 10)
    assert storage.list_names("s3://bucket/run") == ["a.json", "stage"]
    assert storage.list_sizes("s3://bucket/run/stage") == {"part-00000.parquet": 10}
    assert storage.exists("s3://bucket/run/stage")
    assert storage.size("s3://bucket/run/a.json") == 2
    assert storage.read_bytes("s3://bucket/run/a.json") == b"{}"
    storage.move_file("s3://bucket/run/a.json", "s3://bucket/run/b.json")
    storage.delete_folder("s3://bucket/run/stage")
    storage.delete_file("s3://bucket/run/none")
    assert storage.list_names("s3://bucket/run") == ["b.json"]


def test_an_object_is_created_once(store: Store) -> None:
    fs, path = storage.resolve("s3://bucket/run/.lease-00000001")
    stores.create(fs, path, b"mine")
    stores.create(fs, path, b"mine")
    with pytest.raises(FileExistsError):
        stores.create(fs, path, b"another's")
    assert storage.read_bytes("s3://bucket/run/.lease-00000001") == b"mine"


def test_a_writer_that_comes_late_changes_nothing(store: Store) -> None:
    write_new("s3://bucket/part", b"first")
    write_new("s3://bucket/part", b"first")
    with (
        pytest.raises(FileExistsError, match="s3://bucket/part is there already with other content"),
        NewFile("s3://bucket/part") as late,
    ):
        late.write(b"other")
    assert storage.read_bytes("s3://bucket/part") == b"first"


@pytest.mark.parametrize(
    "fault",
    [pytest.param(one, marks=[pytest.mark.slow] * (one in ("503", "500 after upload", "delay"))) for one in RATES],
)
def test_every_first_request_meets_a_fault(store: Store, fault: str) -> None:
    """Reads and writes come out whole, with at most three requests in the place of one."""
    table = pa.table({name: list(range(1000)) for name in "abc"})

    def work(folder: str) -> None:
        with NewFile(f"{folder}/part-00000.parquet") as file, pq.ParquetWriter(file, table.schema) as writer:
            writer.write_table(table, row_group_size=500)
        storage.replace_bytes(f"{folder}/run.json", b"{}")
        assert storage.list_names(folder) == ["part-00000.parquet", "run.json"]
        assert storage.read_bytes(f"{folder}/run.json") == b"{}"
        with open_parquet(f"{folder}/part-00000.parquet") as file:
            assert file.read(columns=["a", "c"]).equals(table.select(["a", "c"]))
        storage.replace_bytes(f"{folder}/new.json", b"[]")
        assert storage.list_names(folder) == ["new.json", "part-00000.parquet", "run.json"]
        storage.move_file(f"{folder}/new.json", f"{folder}/run.json")
        assert storage.read_bytes(f"{folder}/run.json") == b"[]"

    work("s3://bucket/without")
    undisturbed = sum(store.requests.values())
    store.requests.clear()
    store.seed = 1
    store.rates = {fault: 1.0}
    work("s3://bucket/with")
    assert store.faults[fault] >= 1
    assert sum(store.requests.values()) <= 3 * undisturbed


def test_neighbouring_columns_are_one_request(store: Store) -> None:
    table = pa.table({name: list(range(1000)) for name in "abcdefgh"})
    with NewFile("s3://bucket/part") as file, pq.ParquetWriter(file, table.schema) as writer:
        writer.write_table(table)
    store.requests.clear()
    with open_parquet("s3://bucket/part") as parquet:
        parquet.read_row_group(0)
    assert store.requests["GET"] <= 3

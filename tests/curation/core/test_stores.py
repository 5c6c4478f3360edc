"""Files in an object store: created once, read in ranges, whole under faults."""

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core import storage, stores
from curation.core.errors import InputError
from curation.core.input_files import list_files
from curation.core.new_file import NewFile, write_new
from curation.core.parquet_file import open_parquet, reading
from curation.engine.driver.prepare import recorded
from tests.object_store import RATES, Store
from tests.object_store import server as server
from tests.object_store import store as store


@pytest.mark.parametrize(
    ("uri", "told"),
    [
        pytest.param("ftp://host/a", "winnow cannot read ftp:// paths; give a local path, or one of s3://", id="ftp"),
        pytest.param("nosuch://a/b", "winnow cannot read nosuch:// paths; give a local path", id="unknown"),
        pytest.param("S3://bucket/a", "winnow cannot read S3:// paths; did you mean s3:..[?]$", id="capitals"),
        pytest.param("github://a/b", "winnow cannot read github:// paths", id="needs more than a path"),
        pytest.param(
            "az://a/b", "az:// paths need adlfs, which is not installed here; run `pip install adlfs`$", id="az"
        ),
        pytest.param(
            "hf://name", "hf://name names no repository of Hugging Face's Hub; write hf://datasets/", id="hub"
        ),
        pytest.param("hf://datasets/name", "hf://datasets/name names no repository", id="a data set without owner"),
        pytest.param("s3:/b/a", "s3:/b/a names no bucket; did you mean s3://b/a[?]$", id="one slash"),
        pytest.param("s3://", "s3:// names no bucket; give s3://BUCKET/FOLDER$", id="no bucket"),
        pytest.param("hdfs://a/b", "cannot open hdfs:// paths: .{1,300}$", id="a long cause"),
    ],
)
def test_a_scheme_that_nothing_here_can_read(uri: str, told: str) -> None:
    with pytest.raises(InputError, match=f"^{told}"):
        storage.resolve(uri)


def test_a_bucket_that_is_not_there(store: Store) -> None:
    assert storage.missing_bucket("s3://nobody/a") == "nobody"
    assert storage.missing_bucket("s3://bucket/a") == ""
    told = "^no input matches s3://nobody/[*]: the store has no bucket nobody; correct its name$"
    with pytest.raises(InputError, match=told):
        list_files("s3://nobody/*")
    with pytest.raises(InputError, match=r"^cannot write to s3://nobody/run: the store has no bucket nobody; make it"):
        recorded("s3://nobody/run")
    assert recorded("s3://bucket/run") is None


def test_a_store_that_is_out_of_reach_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(path: str) -> None:
        raise ConnectionError("no route to host")

    monkeypatch.setattr(fsspec.filesystem("memory"), "info", unreachable)
    with pytest.raises(InputError, match=r"^cannot list memory://a/[*]: no route to host; check the network"):
        list_files("memory://a/*")


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


def test_a_store_that_does_not_answer_is_no_damaged_file() -> None:
    told = r"^cannot read s3://bucket/a.parquet: no answer; once the store answers, run the same command again$"
    with pytest.raises(InputError, match=told), reading("s3://bucket/a.parquet"):
        stores.asked(_no_answer)


def _no_answer() -> None:
    raise ConnectionError("no answer")

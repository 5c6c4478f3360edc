"""Files in an object store: created once, read in ranges, whole under faults."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core import storage, stores
from curation.core.new_file import NewFile, write_new
from curation.core.parquet_file import open_parquet
from tests.object_store import Store
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

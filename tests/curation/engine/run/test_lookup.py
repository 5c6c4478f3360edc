"""Every url, doc_id and text hash can be found, with its shard and row, in one bucket's file."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.document import DOCUMENT, bucket_of, with_text_hash
from curation.engine.run.lookup import SCHEMA, Gather, Scatter, bucket_path
from curation.engine.run.part_files import PartWriter
from curation.engine.run.work import Unit
from curation.text.kernels.hashing import hash64
from tests.support import documents


@pytest.mark.parametrize("buckets", [1, 3])
def test_look_up(tmp_path: Path, buckets: int) -> None:
    for name in ("_keys", "_buckets"):
        (tmp_path / name).mkdir()
    scatter, gather = Scatter(str(tmp_path), buckets), Gather(str(tmp_path), 2)
    for shard in range(2):
        writer = PartWriter(str(tmp_path), f"part-{shard:05d}", with_text_hash(DOCUMENT), "web")
        ids, urls = [f"{shard}a", f"{shard}b"], ["http://both/", None]
        batch = documents("x", "y", doc_id=ids, url=urls, text_hash=["t", None], drop_reason=["a.b:low", None])
        writer.add(pa.Table.from_batches([batch]))
        scatter.run(Unit(shard, (str(tmp_path / writer.close()[0].file),)))
    for bucket in range(buckets):
        gather.run(Unit(bucket, None))
    tables = [pq.read_table(bucket_path(str(tmp_path), bucket)) for bucket in range(buckets)]
    assert {table.schema for table in tables} == {SCHEMA}
    found = {}
    for word, kind in (("http://both/", 0), ("0a", 1), ("0b", 1), ("1a", 1), ("1b", 1), ("t", 2)):
        key = hash64(pa.array([word], pa.large_string()))
        rows = tables[int(bucket_of(key, buckets)[0])].to_pylist()
        found[word] = [row["doc"] for row in rows if (row["key_hi"], row["key_lo"]) == (int(key[0]), kind)]
    assert found == {
        "http://both/": [0, 1 << 32],
        "0a": [0],
        "0b": [1],
        "1a": [1 << 32],
        "1b": [(1 << 32) + 1],
        "t": [0, 1 << 32],
    }
    for table in tables:
        assert np.array_equal(np.asarray(table["key_hi"]), np.sort(np.asarray(table["key_hi"])))

"""Every url, doc_id and text hash can be found, with its shard and row, in one bucket's file."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.commits import Commit
from curation.core.document import DOCUMENT, bucket_of, with_text_hash
from curation.engine.executor.work import Unit, Work
from curation.engine.run import lookup
from curation.engine.run.lookup import SCHEMA, bucket_path
from curation.engine.run.part_files import PartWriter
from curation.text.kernels.hashing import hash64
from tests.curation.engine.inputs import run_here
from tests.support import documents


@pytest.mark.parametrize("buckets", [1, 4])
def test_look_up(tmp_path: Path, buckets: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup, "buckets_for", lambda size: buckets)
    paths = []
    for shard in range(2):
        writer = PartWriter(str(tmp_path), shard, with_text_hash(DOCUMENT), "web")
        ids = [f"{shard}a", f"{shard}b"]
        urls = ["http://both/", None]
        batch = documents("x", "y", doc_id=ids, url=urls, text_hash=["t", None], drop_reason=["a.b:low", None])
        writer.add(pa.Table.from_batches([batch]))
        paths.append(str(tmp_path / writer.close()[0].file))

    def step(name: str, work: Work, units: Sequence[Unit], folder: str) -> tuple[Commit, ...]:
        return tuple(run_here(work, units, str(tmp_path), folder))

    assert lookup.build(step, str(tmp_path), paths) == {"buckets": buckets, "rows": 8}
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

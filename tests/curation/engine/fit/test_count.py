"""Counts are sums: however documents are cut into chunks, units and buckets, and wherever their rows go."""

import io
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.core.document import bucket_of
from curation.engine.executor.inline import Inline
from curation.engine.fit import count, fit_stage
from curation.engine.fit.count import MergedTables, spilled
from curation.engine.fit.fit_stage import learned
from curation.engine.fit.portions import portions_of
from curation.engine.run import exchange
from curation.engine.run.exchange import PORTIONS
from curation.engine.run.routing import write_batches
from tests.curation.engine.fit.toys import KEPT, SCHEMA, Words
from tests.curation.engine.inputs import numbered_shards


@pytest.mark.parametrize("buckets", [1, 4, 32])
def test_counts_are_sums_however_they_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, buckets: int) -> None:
    shards = numbered_shards(tmp_path, shards=4, rows=1000)
    monkeypatch.setattr(count, "CHUNK_BYTES", 1000)
    monkeypatch.setattr(fit_stage, "buckets_for", lambda size: buckets)
    files, record = learned(Words(), portions_of(shards, least=1), Inline())
    assert json.loads(files["words.json"]) == Counter(map(str, KEPT))
    assert record["groups"][0]["documents"] == len(KEPT)
    assert record["groups"][0]["sample_bytes"] == sum(len(str(n)) for n in KEPT)


def test_counts_of_a_balanced_sample(tmp_path: Path) -> None:
    shards = numbered_shards(tmp_path, shards=2, rows=2000, sources=("web", "books"))
    fit = Words(sample_by="source", sample_weights={"web": 1, "books": 0})
    assert json.loads(learned(fit, portions_of(shards), Inline())[0]["words.json"]) == {
        str(n): 1 for n in KEPT if n < 2000
    }


def test_gathered_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "RANGES", 1)
    files, _ = learned(Words(), portions_of(numbered_shards(tmp_path)), Inline())
    assert json.loads(files["words.json"]) == Counter(map(str, KEPT))


def test_counts_are_put_aside_by_ranges_of_keys() -> None:
    counts = Words().count(iter([pa.RecordBatch.from_pydict({"text": [" ".join(map(str, range(500)))]})]))
    reader = spilled(counts, io.BytesIO())
    batches = [reader.get_batch(number) for number in range(reader.num_record_batches)]
    assert len(batches) == PORTIONS
    assert sum(len(batch) for batch in batches) == 500
    tops = [bucket_of(np.asarray(batch["key_hi"]), PORTIONS) for batch in batches]
    assert all((own == number).all() for number, own in enumerate(tops))


def test_merged_counts_are_read_as_often_as_they_are_asked_for(tmp_path: Path) -> None:
    tables = [Words().merge(SCHEMA.empty_table()), SCHEMA.empty_table()]
    paths = [str(tmp_path / f"{number}.arrow") for number in range(2)]
    for path, table in zip(paths, tables, strict=True):
        write_batches(path, SCHEMA, [table])
    merged = MergedTables(tuple(paths))
    assert list(merged) == list(merged) == tables

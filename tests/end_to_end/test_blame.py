"""Junk planted in a crawl's token shards: the training tells of it, leaves it out, and its documents are named."""

import json
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from curation.tokens.shards import TokenData
from tests.runs import winnow_here
from tests.training.runs import TINY, change_rows, read_metrics
from training.config.parse import parse
from training.start import train

JUNK = 40  # a step, from 0
SETTINGS: dict[str, Any] = {
    **TINY,
    "steps": 48,
    "batch_rows": 2,
    "checkpoint_every": 8,
    "validate_every": 48,
    "log_every": 4,
    "watch": {"on_spike": "skip"},
}


def asked(model: Path) -> dict[str, Any]:
    done = winnow_here("blame", model, "--step", str(JUNK), "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_the_documents_of_a_jump_are_named(finished_run: Path, tmp_path: Path) -> None:
    run = copytree(finished_run / "run", tmp_path / "run")
    data = TokenData.open(str(run))
    planted = set[str]()
    for file, row in data.locate(JUNK, batch_rows=2):
        tokens = np.fromfile(run / f"{file}.bin", data.dtype).reshape(-1, data.row_tokens)
        tokens[row] = np.random.default_rng(row).integers(0, data.vocabulary, data.row_tokens)
        change_rows(run / f"{file}.bin", tokens)
        lineage = pq.read_table(run / f"{file}.parquet").to_pylist()
        planted |= {piece["doc_id"] for piece in lineage if piece["row"] == row and piece["doc_id"]}
    model = tmp_path / "model"
    train(parse(SETTINGS), str(run), str(model))
    jumps = [record for record in read_metrics(model / "metrics.jsonl") if record["kind"] == "resume"]
    assert [jump["skipped"][0]["step"] for jump in jumps] == [JUNK]
    found = asked(model)
    assert found["skipped"]
    traced = json.loads(winnow_here("trace", model, "--step", str(JUNK), "--json").stdout)
    named = {document["doc_id"] for document in found["documents"]}
    assert planted <= named
    assert not planted & {segment["doc_id"] for segment in traced["segments"]}
    assert all(document["url"].startswith("http") for document in found["documents"])
    assert all(document["signals"] for document in found["documents"])
    order = [document["deviations"] for document in found["documents"]]
    assert order == sorted(order, reverse=True)

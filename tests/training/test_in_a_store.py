"""A training in an object store: the losses of a local one, and nothing is lost when it is killed."""

import json
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from curation.core import storage
from tests.object_store import Store, client
from tests.object_store import server as server
from tests.object_store import store as store
from tests.training.runs import TINY, counting_run
from training.checkpoint import save
from training.checkpoint.manifest import complete_steps
from training.config.parse import parse
from training.start import train


def records(content: bytes) -> list[dict[str, Any]]:
    kept = ("kind", "step", "loss", "gradient_norm")
    lines = map(json.loads, content.splitlines())
    return [{key: record[key] for key in kept if key in record} for record in lines]


def test_a_run_in_a_store_resumes_to_the_losses_of_a_local_one(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk has no room for its shards."""
    monkeypatch.chdir(tmp_path)
    run = counting_run(tmp_path / "run")
    train(parse(TINY), str(run), str(tmp_path / "local"))
    for file in sorted(path for path in run.rglob("*") if path.is_file()):
        client(store).upload_file(str(file), "bucket", f"run/{file.relative_to(run)}")
    store.seed = 3

    def stop(record: dict[str, Any]) -> None:
        if (record["kind"], record["step"]) == ("step", 5):
            raise InterruptedError

    with pytest.raises(InterruptedError):
        train(parse({**TINY, "local_copies_gb": 1e-8}), "s3://bucket/run", "s3://bucket/model", on_record=stop)
    assert complete_steps("s3://bucket/model") == [3]
    before = sum(store.requests.values())
    result = train(parse({**TINY, "local_copies_gb": 0}), "s3://bucket/run", "s3://bucket/model")
    assert complete_steps("s3://bucket/model") == [6, 8]
    local = json.loads((tmp_path / "local" / "result.json").read_text())
    assert {**result, "data": "", "energy": ""} == {**local, "data": "", "energy": ""}
    metrics = storage.read_bytes("s3://bucket/model/metrics.jsonl")
    kept = [record for record in records(metrics) if record["kind"] != "resume"]
    whole = records((tmp_path / "local" / "metrics.jsonl").read_bytes())
    for kind in ("start", "step", "validation", "result"):  # a checkpoint is told of when it is complete
        assert [one for one in kept if one["kind"] == kind] == [one for one in whole if one["kind"] == kind]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["local", "run"]
    assert before < 400  # a row is up to three
    assert sum(store.requests.values()) < 800
    assert sum(store.faults.values()) >= 2


def test_a_run_killed_once_its_checkpoint_is_complete_has_every_step(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store takes whole files only: what the checkpoint does not hold must be there before it."""
    run = str(counting_run(tmp_path / "run"))
    with monkeypatch.context() as patched:
        patched.setattr(save, "prune", Mock(side_effect=InterruptedError))  # comes next
        with pytest.raises(InterruptedError):
            train(parse(TINY), run, "s3://bucket/model")
    train(parse(TINY), run, "s3://bucket/model")
    metrics = records(storage.read_bytes("s3://bucket/model/metrics.jsonl"))
    assert [record["step"] for record in metrics if record["kind"] == "step"] == list(range(1, 9))

"""An output folder has one training at a time, on a disk and in a store, and one that lost it writes no checkpoint."""

import json
from dataclasses import asdict
from pathlib import Path
from uuid import uuid4

import pytest

from curation.core import storage, stores
from curation.core.errors import StageError
from curation.core.lease import Claim, Holder
from curation.core.run_lock import only_run
from tests.training.runs import TINY, counting_run
from training.checkpoint.manifest import complete_steps
from training.config.parse import parse
from training.start import train


@pytest.fixture(params=["disk", "store"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "model") if request.param == "disk" else f"memory://{uuid4().hex}/model"


def leave(folder: str) -> None:
    """The claim of a training elsewhere."""
    claim = Claim.of(Holder(7, "me", "node-1", "2026-11-22T10:00:00+00:00"))
    content = json.dumps({**asdict(claim), "machine": "elsewhere"}).encode()
    if storage.in_store(folder):
        fs, path = storage.resolve(f"{folder}/.lease-00000002")
        stores.replace(fs, path, content)
    else:
        Path(folder, ".lock").write_bytes(content)


def test_a_training_that_lost_its_folder_writes_no_checkpoint(folder: str, tmp_path: Path) -> None:
    """It stood still, or its driver was killed, and another came."""
    run = counting_run(tmp_path / "run")

    def lose(record: dict[str, object]) -> None:
        if (record["kind"], record["step"]) == ("checkpoint", 3):
            leave(folder)

    with pytest.raises(StageError, match="was taken over by process 7 of me on node-1"):
        train(parse(TINY), str(run), folder, on_record=lose)
    assert complete_steps(folder) == [3]
    assert not storage.exists(f"{folder}/checkpoints/step_6")


def test_the_callers_claim_is_used(folder: str, tmp_path: Path) -> None:
    run = counting_run(tmp_path / "run")
    with only_run(folder) as claim:
        with pytest.raises(ValueError, match="another winnow is running"):
            train(parse(TINY), str(run), folder)
        assert train(parse({**TINY, "steps": 3}), str(run), folder, claim=claim)["steps"] == 3

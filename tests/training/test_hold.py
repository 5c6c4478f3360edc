"""An output folder has one training at a time, on a disk and in a store, and one that lost it writes no checkpoint."""

import logging
import os
import pickle
import time
from pathlib import Path
from uuid import uuid4

import pytest

from tests.object_store import Store
from tests.object_store import server as server
from tests.object_store import store as store
from tests.training.runs import TINY, counting_run
from training import checkpoint, hold
from training.config import parse
from training.files import Folder, StorePath, folder_at, names_in, write_whole
from training.hold import Hold, held
from training.loop import train


@pytest.fixture(params=["disk", "store"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    return folder_at(tmp_path / "model" if request.param == "disk" else f"memory://{uuid4().hex}/model")


@pytest.fixture
def memory() -> StorePath:
    return StorePath(f"memory://{uuid4().hex}/model")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hold, "RENEW", 0.1)
    monkeypatch.setattr(hold, "STALE", 0.6)


def another(folder: Folder) -> Hold:
    return Hold(folder, "process 7 of me on node-1, since 2026-11-22T10:00:00+00:00", "other")


def leave(folder: Folder, number: int, content: bytes) -> None:
    """As a training elsewhere would have."""
    if isinstance(folder, Path):
        folder.mkdir(exist_ok=True)
    write_whole(folder / (".lock" if isinstance(folder, Path) else f".training-{number:08d}"), content)


def test_a_second_training_is_refused_by_the_first_ones_name(folder: Folder) -> None:
    with held(folder) as first:
        message = f"another training is running in {folder}: process {os.getpid()} of .* on .*, since 20.*; wait for it"
        with pytest.raises(ValueError, match=message), held(folder):
            pass
        pickle.loads(pickle.dumps(first)).check()
    with held(folder) as second, pytest.raises(OSError, match=f"{folder} was taken over by process {os.getpid()} "):
        first.check()
    second.check()  # nobody came after it


def test_what_a_killed_training_left_is_taken_over(folder: Folder, caplog: pytest.LogCaptureFixture) -> None:
    leave(folder, 4, another(folder).content(3))
    started = time.monotonic()
    with caplog.at_level(logging.WARNING), held(folder):
        if isinstance(folder, StorePath):
            assert time.monotonic() - started >= hold.STALE
            assert "was held by process 7 of me on node-1, since 2026-11-22" in caplog.text
            assert names_in(folder) == [".training-00000005"]


def test_a_released_folder_is_free_at_once(memory: StorePath, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hold, "STALE", 3600.0)
    for number in (1, 2, 3):
        with held(memory):
            assert names_in(memory) == [f".training-{number:08d}"]


def test_of_two_that_take_over_one_does(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a store that speaks S3."""
    folder = StorePath("s3://bucket/model")
    with held(folder):
        current = hold._current
        monkeypatch.setattr(hold, "_current", lambda folder: ("", {}))  # as both saw it
        with pytest.raises(ValueError, match="another training is running"), held(folder):
            pass
        monkeypatch.setattr(hold, "_current", current)
    assert hold._current(folder)[1]["released"]
    assert store.requests["PUT"] >= 3


def test_a_lease_is_renewed_while_it_is_held(memory: StorePath) -> None:
    with held(memory):
        deadline = time.monotonic() + 10
        while hold._current(memory)[1]["renewals"] < 2:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*_: object) -> None:
        raise OSError(37, os.strerror(37))

    monkeypatch.setattr("fcntl.flock", flock)
    with pytest.raises(ValueError, match=r"cannot lock .* \(No locks available\), where two trainings could delete"):
        held(tmp_path).__enter__()


def test_a_training_that_lost_its_folder_writes_no_checkpoint(folder: Folder, tmp_path: Path) -> None:
    """It stood still, or its driver was killed, and another came."""
    run = counting_run(tmp_path / "run")

    def lose(record: dict[str, object]) -> None:
        if (record["kind"], record["step"]) == ("step", 5):
            leave(folder, 2, another(folder).content())

    with pytest.raises(OSError, match="was taken over by process 7 of me on node-1"):
        train(parse(TINY), str(run), str(folder), on_record=lose)
    assert checkpoint.complete_steps(folder) == [3]
    assert not (folder / "checkpoints" / "step_6").exists()


def test_the_callers_hold_is_used(folder: Folder, tmp_path: Path) -> None:
    run = counting_run(tmp_path / "run")
    with held(folder) as mine:
        with pytest.raises(ValueError, match="another training is running"):
            train(parse(TINY), str(run), str(folder))
        assert train(parse({**TINY, "steps": 3}), str(run), str(folder), hold=mine)["steps"] == 3

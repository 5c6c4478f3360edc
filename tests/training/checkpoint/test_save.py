"""A saved checkpoint continues bit for bit, replaces what a killed writer left, and is of the state when it began."""

import errno
import os
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from tests.training.checkpoint.models import save, sharded, update, weights
from training.checkpoint import save as writing
from training.checkpoint.load import load
from training.checkpoint.manifest import MANIFEST, complete_steps, folder_of
from training.checkpoint.save import Saver
from training.parallel.mesh import RefusedError, worker_group


def test_round_trip_continues_bit_for_bit(tmp_path: Path) -> None:
    with worker_group() as worker:
        trainee = sharded(worker, seed=0)
        update(trainee)
        save(str(tmp_path), 1, trainee, worker)
        update(trainee)
        expected = weights(trainee)

        restored = sharded(worker, seed=1)
        assert load(str(tmp_path), 1, restored, worker) == ""
        update(restored)
        assert len(expected) == 11
        assert all(torch.equal(a, b) for a, b in zip(weights(restored), expected, strict=True))


def test_saving_again_replaces_what_a_killed_writer_left(tmp_path: Path) -> None:
    left = Path(folder_of(str(tmp_path), 3))
    left.mkdir(parents=True)
    (left / "rank-00007.safetensors").write_bytes(b"half")
    with worker_group() as worker:
        trainee = sharded(worker, seed=0)
        assert save(str(tmp_path), 3, trainee, worker) == str(left)
        save(str(tmp_path), 3, trainee, worker)
    assert sorted(path.name for path in left.iterdir()) == [MANIFEST, "rank-00000.safetensors"]
    assert complete_steps(str(tmp_path)) == [3]


def test_other_programs_open_the_files(tmp_path: Path) -> None:
    with worker_group() as worker:
        trainee = sharded(worker, seed=0)
        update(trainee)
        path = save(str(tmp_path), 3, trainee, worker)
        tensors = load_file(Path(path, "rank-00000.safetensors"))
        assert len(tensors) == 11 * 4  # a weight, two moments and the count of updates
        assert torch.equal(tensors["model.embedding.weight"], weights(trainee)[0])
        assert float(tensors["optimizer.embedding.weight.step"]) == 1


def test_the_training_goes_on_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go = Event()
    write = writing.write_tensors

    def slow(uri: str, tensors: Any) -> Any:
        assert go.wait(60)
        return write(uri, tensors)

    monkeypatch.setattr(writing, "write_tensors", slow)
    with worker_group() as worker:
        trainee = sharded(worker, seed=0)
        update(trainee)
        expected = weights(trainee)
        saver = Saver(str(tmp_path), trainee, worker, (1, None))
        saver.begin(1)
        update(trainee)
        assert saver.join(wait=False) is None
        assert complete_steps(str(tmp_path)) == []
        go.set()
        saved = saver.join()
        assert saved
        assert (saved.step, saved.folder) == (1, folder_of(str(tmp_path), 1))
        assert saver.join() is None
        saver.close()
        restored = sharded(worker, seed=1)
        assert load(str(tmp_path), 1, restored, worker) == ""
    assert all(torch.equal(a, b) for a, b in zip(weights(restored), expected, strict=True))


def test_a_full_disk_is_refused_and_what_was_complete_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(uri: str, tensors: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), uri)

    with worker_group() as worker:
        trainee = sharded(worker, seed=0)
        saver = Saver(str(tmp_path), trainee, worker, (1, None))
        saver.begin(1)
        saver.join()
        monkeypatch.setattr(writing, "write_tensors", full)
        saver.begin(2)
        with pytest.raises(RefusedError, match=r"step 2 cannot be written: .*No space left.* goes on from step 1"):
            saver.join()
        saver.close()
    assert complete_steps(str(tmp_path)) == [1]


def test_a_folder_that_another_run_took_over_gets_no_checkpoint(tmp_path: Path) -> None:
    def check() -> None:
        raise ValueError("taken over")

    with worker_group() as worker:
        saver = Saver(str(tmp_path), sharded(worker, seed=0), worker, (1, None), check=check)
        saver.begin(1)
        with pytest.raises(ValueError, match="taken over"):
            saver.join()
        saver.close()
    assert complete_steps(str(tmp_path)) == []

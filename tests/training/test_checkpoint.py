"""Checkpoints are whole or absent, the oldest go first, and an output folder belongs to one run."""

import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch.distributed.tensor import DTensor

from curation.core import storage
from training import checkpoint
from training.config import ModelConfig, OptimizerConfig, TrainConfig
from training.models.decoder import Decoder, initialise
from training.optim.adamw import AdamW, adamw
from training.parallel.mesh import Worker, worker_group
from training.parallel.sharding import shard


def sharded(worker: Worker, seed: int, width: int = 16) -> tuple[Decoder, AdamW]:
    model = Decoder(ModelConfig(layers=1, width=width, heads=2), 20)
    initialise(model, seed)
    shard(model, model.blocks, worker.mesh, bfloat16=False)
    return model, adamw(model, OptimizerConfig())


def update(model: Decoder, optimizer: AdamW) -> None:
    torch.autograd.backward(model(torch.arange(12)[None]).square().sum())
    optimizer.step()
    optimizer.zero_grad()


def weights(model: Decoder) -> list[torch.Tensor]:
    return [p.full_tensor() for p in model.parameters() if isinstance(p, DTensor)]


def test_round_trip_continues_bit_for_bit(tmp_path: Path) -> None:
    with worker_group() as worker:
        model, optimizer = sharded(worker, seed=0)
        update(model, optimizer)
        checkpoint.save(str(tmp_path), 1, model, optimizer, worker)
        update(model, optimizer)
        expected = weights(model)

        restored, its_optimizer = sharded(worker, seed=1)
        checkpoint.load(str(tmp_path), 1, restored, its_optimizer)
        update(restored, its_optimizer)
        assert len(expected) == 11
        assert all(torch.equal(a, b) for a, b in zip(weights(restored), expected, strict=True))


def test_only_complete_checkpoints_count_and_the_newest_are_kept(tmp_path: Path) -> None:
    for step in (5, 10, 20, 100):
        folder = Path(checkpoint.folder_of(str(tmp_path), step))
        folder.mkdir(parents=True)
        (folder / "__0_0.distcp").touch()
        if step != 20:
            (folder / checkpoint.MANIFEST).touch()
    assert checkpoint.complete_steps(str(tmp_path)) == [5, 10, 100]
    checkpoint.prune(str(tmp_path), 2)
    assert sorted(path.name for path in (tmp_path / "checkpoints").iterdir()) == ["step_10", "step_100"]


def test_a_folder_that_cannot_be_deleted_yet_does_not_end_the_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on NFS, while another process reads one of its files."""
    for step in (5, 10):
        folder = Path(checkpoint.folder_of(str(tmp_path), step))
        folder.mkdir(parents=True)
        (folder / checkpoint.MANIFEST).touch()

    def busy(uri: str) -> None:
        raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), uri)

    with monkeypatch.context() as patched:
        patched.setattr(storage, "delete_folder", busy)
        checkpoint.prune(str(tmp_path), 1)
    assert checkpoint.complete_steps(str(tmp_path)) == [10]
    checkpoint.prune(str(tmp_path), 1)
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["step_10"]


def test_saving_again_replaces_what_a_killed_writer_left(tmp_path: Path) -> None:
    with worker_group() as worker:
        model, optimizer = sharded(worker, seed=0)
        left = Path(checkpoint.folder_of(str(tmp_path), 3))
        left.mkdir(parents=True)
        (left / "__7_0.distcp").write_bytes(b"half")
        checkpoint.save(str(tmp_path), 3, model, optimizer, worker)
    assert not (left / "__7_0.distcp").exists()
    assert checkpoint.complete_steps(str(tmp_path)) == [3]


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    with worker_group() as worker:
        model, optimizer = sharded(worker, seed=0)
        path = checkpoint.save(str(tmp_path), 3, model, optimizer, worker)
        Path(path, "__0_0.distcp").unlink()
        with pytest.raises(OSError, match=r"step_3 cannot be loaded: .*; delete it to go back"):
            checkpoint.load(str(tmp_path), 3, model, optimizer)


def test_a_checkpoint_of_another_model_is_refused(tmp_path: Path) -> None:
    with worker_group() as worker:
        checkpoint.save(str(tmp_path), 3, *sharded(worker, seed=0), worker)
        with pytest.raises(OSError, match="step_3 cannot be loaded"):
            checkpoint.load(str(tmp_path), 3, *sharded(worker, seed=0, width=24))


def test_an_output_belongs_to_one_run(tmp_path: Path) -> None:
    config = TrainConfig()
    checkpoint.refuse_other_run(str(tmp_path / "new"), config, "data")
    checkpoint.claim(str(tmp_path), config, "data", "runs/here")
    checkpoint.refuse_other_run(str(tmp_path), replace(config, checkpoint_every=7, keep_checkpoints=1), "data")
    with pytest.raises(
        ValueError, match=r"other settings: config.seed \(was 0, now 1\); restore them, or give another output"
    ):
        checkpoint.refuse_other_run(str(tmp_path), replace(config, seed=1), "data")
    with pytest.raises(ValueError, match=r"config\.model\.layers \(was 4, now 5\)"):
        checkpoint.refuse_other_run(str(tmp_path), replace(config, model=ModelConfig(layers=5)), "data")
    with pytest.raises(ValueError, match=r"data \(was data, now other\)"):
        checkpoint.refuse_other_run(str(tmp_path), config, "other")


def test_it_says_where_its_data_lay_and_may_go_on_with_it_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config = TrainConfig()
    checkpoint.claim(str(tmp_path), config, "data", "runs/here")
    assert checkpoint.read_json(str(tmp_path / "config.json"))["path"] == str(tmp_path / "runs" / "here")
    checkpoint.refuse_other_run(str(tmp_path), config, "data")
    checkpoint.claim(str(tmp_path), config, "data", "s3://store/there")
    assert checkpoint.read_json(str(tmp_path / "config.json"))["path"] == "s3://store/there"

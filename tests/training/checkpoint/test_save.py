"""A saved checkpoint continues bit for bit, and replaces what a killed writer left."""

from pathlib import Path

import torch
from safetensors.torch import load_file

from tests.training.checkpoint.models import sharded, update, weights
from training.checkpoint.load import load
from training.checkpoint.manifest import MANIFEST, complete_steps, folder_of
from training.checkpoint.save import save
from training.parallel.mesh import worker_group


def test_round_trip_continues_bit_for_bit(tmp_path: Path) -> None:
    with worker_group() as worker:
        trainee = sharded(worker, seed=0)
        update(trainee)
        save(str(tmp_path), 1, trainee, worker, keep=1)
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
        assert save(str(tmp_path), 3, trainee, worker, keep=1) == str(left)
        save(str(tmp_path), 3, trainee, worker, keep=1)
    assert sorted(path.name for path in left.iterdir()) == [MANIFEST, "rank-00000.safetensors"]
    assert complete_steps(str(tmp_path)) == [3]


def test_other_programs_open_the_files(tmp_path: Path) -> None:
    with worker_group() as worker:
        trainee = sharded(worker, seed=0)
        update(trainee)
        path = save(str(tmp_path), 3, trainee, worker, keep=1)
        tensors = load_file(Path(path, "rank-00000.safetensors"))
        assert len(tensors) == 11 * 4  # a weight, two moments and the count of updates
        assert torch.equal(tensors["model.embedding.weight"], weights(trainee)[0])
        assert float(tensors["optimizer.embedding.weight.step"]) == 1

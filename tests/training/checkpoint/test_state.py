"""The tensors of a run by name, and the box of each that a process holds."""

from dataclasses import replace

import torch

from tests.training.checkpoint.models import sharded, update, weights
from training.checkpoint.state import held_tensors
from training.parallel.mesh import worker_group
from training.precision.scaler import LossScaler


def test_weights_and_moments_by_name() -> None:
    with worker_group() as worker:
        trainee = sharded(worker, seed=0)
        update(trainee)
        tensors = held_tensors(trainee, worker)
    assert list(tensors) == sorted(tensors)
    names = {name.rpartition(".")[2] for name in tensors if name.startswith("optimizer.embedding")}
    assert names == {"exp_avg", "exp_avg_sq", "step"}
    embedding = tensors["model.embedding.weight"]
    assert (str(embedding.whole), embedding.start, embedding.writes) == ("F32[20, 16]", (0, 0), True)
    step = tensors["optimizer.embedding.weight.step"]
    assert (str(step.whole), step.start, float(step.local)) == ("F32[]", (), 1.0)


def test_it_shares_the_models_memory() -> None:
    with worker_group() as worker:
        trainee = sharded(worker, seed=0)
        with torch.no_grad():
            held_tensors(trainee, worker)["model.embedding.weight"].local.fill_(3)
        assert weights(trainee)[0].unique().tolist() == [3]


def test_what_all_hold_is_written_by_the_first() -> None:
    with worker_group() as worker:
        trainee = sharded(worker, seed=0)
        tensors = held_tensors(trainee, replace(worker, rank=1, world_size=2))
    assert {name.rpartition(".")[2] for name, held in tensors.items() if not held.writes} == {"step"}


def test_the_scale_of_fp16_is_kept() -> None:
    with worker_group() as worker:
        plain = sharded(worker, seed=0)
        trainee = replace(plain, scaler=LossScaler(worker.device))
        tensors = held_tensors(trainee, worker)
    assert float(tensors["scaler.scale"].local) == 2**16
    assert str(tensors["scaler.since"].whole) == "I32[]"

"""The scale of the loss by hand, and an overflow in one of two processes."""

from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import Tensor, nn

from training.ending import leave
from training.optim.updates import update
from training.parallel.mesh import worker_group
from training.precision.scaler import GROW_AFTER, LossScaler

FINITE = torch.tensor(True)
CPU = torch.device("cpu")


def test_gradients_are_unscaled() -> None:
    weight = nn.Parameter(torch.zeros(2))
    weight.grad = torch.tensor([3.0, torch.inf]) * 2**16
    LossScaler(CPU).unscale([weight, nn.Parameter(torch.zeros(1))])
    assert weight.grad.tolist() == [3.0, torch.inf]


def test_the_scale_doubles_after_many_updates_without_an_overflow() -> None:
    with worker_group():
        scaler = LossScaler(CPU)
        scaler.since += GROW_AFTER - 2
        scales = []
        for finite in (FINITE, FINITE, FINITE, ~FINITE, FINITE):
            agreed = scaler.agree(finite)
            scales.append((agreed.item(), scaler.scale.item() / 2**16, scaler.since.item()))
    assert scales == [(1, 1, GROW_AFTER - 1), (1, 2, 0), (1, 2, 1), (0, 1, 0), (1, 1, 1)]


def test_the_scale_is_1_at_least() -> None:
    with worker_group():
        scaler = LossScaler(CPU)
        for _ in range(20):
            scaler.agree(~FINITE)
    assert scaler.scale.item() == 1.0


def _overflow_in_the_first(rank: int, store: str) -> None:
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    weight = nn.Parameter(torch.ones(2))
    optimizer = torch.optim.AdamW([weight], fused=True)
    scaler = LossScaler(CPU)

    def train(loss: Tensor) -> None:
        (loss.half() * scaler.scale.half()).float().backward()
        scaler.unscale([weight])
        finite = weight.grad.isfinite().all()  # type: ignore[union-attr]
        update(optimizer, scaler.agree(finite))
        optimizer.zero_grad()

    train(weight.sum() * (1000.0 if rank == 0 else 0.25))  # 2,000 * 65,536 is more than fp16 has
    assert weight.tolist() == [1.0, 1.0]
    assert scaler.scale.item() == 2**15
    assert optimizer.state[weight]["step"].item() == 0
    train(weight.sum() * 0.25)
    assert weight.tolist() != [1.0, 1.0]
    assert scaler.scale.item() == 2**15
    dist.destroy_process_group()
    leave()


@pytest.mark.slow
def test_an_overflow_in_one_process_skips_the_update_in_both(tmp_path: Path) -> None:
    mp.spawn(_overflow_in_the_first, (str(tmp_path / "store"),), nprocs=2)

"""What holds for each optimizer: two processes update as one does, a gradient that is not finite changes nothing, no
update waits for the device, and a checkpoint finds all moments.
"""

from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import Tensor
from torch.distributed.checkpoint.state_dict import get_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode

from curation.core import catalog
from tests.training.optim.toy import Toy, differentiate, same, train, wave
from training.config.components import OPTIMIZER, Optimizer
from training.ending import leave
from training.optim.clip import clip
from training.optim.updates import update

KEYS = catalog.known(OPTIMIZER)


def find(key: str) -> Optimizer:
    found = catalog.find(OPTIMIZER, key)()
    assert isinstance(found, Optimizer)
    return found


@pytest.mark.parametrize("key", KEYS)
def test_a_gradient_that_is_not_finite_changes_nothing(key: str) -> None:
    config = find(key)
    own, expected = Toy(), Toy()
    optimizer, other = config.build(own), config.build(expected)
    train(own, optimizer, 2, again=config.again)
    train(expected, other, 2, again=config.again)
    for finite in (False, True):
        differentiate(own, wave if finite else lambda weight: weight / 0)
        update(optimizer, torch.tensor(finite))
    train(expected, other, 1)
    same(own, expected, 0.0)


def test_an_optimizer_that_knows_nothing_of_it() -> None:
    own, expected = Toy(), Toy()
    optimizer = torch.optim.SGD(own.parameters(), lr=0.1)
    for finite in (False, True):
        differentiate(own, wave if finite else lambda weight: weight / 0)
        update(optimizer, torch.tensor(finite))
    train(expected, torch.optim.SGD(expected.parameters(), lr=0.1), 1)
    same(own, expected, 0.0)


def test_a_closure_is_passed_on() -> None:
    model = Toy()
    config = find("sam")
    differentiate(model)
    with pytest.raises(ZeroDivisionError):
        update(config.build(model), torch.tensor(True), lambda: 1 / 0)


class NoWaiting(TorchDispatchMode):
    """Fails where a number of a tensor is asked for, for which a GPU would have to be waited for."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        assert "local_scalar" not in str(func), "the step waits for a number"
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("key", KEYS)
def test_an_update_waits_for_nothing(key: str) -> None:
    config = find(key)
    model = Toy()
    optimizer = config.build(model)
    differentiate(model)
    with NoWaiting():
        update(optimizer, clip(model.parameters(), config).isfinite())
    with pytest.raises(AssertionError, match="waits"), NoWaiting():
        torch.ones(()).item()


@pytest.mark.parametrize("key", KEYS)
def test_a_checkpoint_makes_the_moments(key: str) -> None:
    config = find(key)
    own, untouched = Toy(), Toy()
    optimizer = config.build(own)
    moments = get_state_dict(own, optimizer)[1]["state"]
    same(own, untouched, 0.0)
    trained = Toy()
    other = config.build(trained)
    train(trained, other, 1, again=config.again)
    assert moments.keys() == dict(own.named_parameters()).keys()
    assert moments["up"].keys() == other.state[trained.up].keys()  # type: ignore[union-attr]


def _numbers(model: Toy, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The weights, and what the optimizer keeps of them, whole."""
    kept = {
        f"{name} {what}": tensor
        for name, weight in model.named_parameters()
        for what, tensor in {"weight": weight.detach(), **optimizer.state[weight]}.items()
    }
    return {name: one.full_tensor() if isinstance(one, DTensor) else one for name, one in kept.items()}


def _compare(rank: int, store: str) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    for key in KEYS:
        config = find(key)
        numbers = []
        for model in (Toy(), fully_shard(Toy(), mesh=init_device_mesh("cpu", (2,)))):
            optimizer = config.build(model)
            train(model, optimizer, 5, again=config.again)
            differentiate(model)
            norm = clip(model.parameters(), config)
            config.set_rate(optimizer, 0.1)
            optimizer.step()
            numbers.append({"norm": norm, **_numbers(model, optimizer)})
        one, two = numbers
        assert one.keys() == two.keys()
        for name, expected in one.items():
            difference = (two[name] - expected).abs().max().item()
            assert difference <= 1e-6, f"{key}: {name} differs by {difference}"
        with Path(f"{store}-{rank}").open("a") as done:
            done.write(f"{key}\n")
    dist.destroy_process_group()
    leave()


@pytest.mark.slow
def test_two_processes_update_as_one(tmp_path: Path) -> None:
    mp.spawn(_compare, (str(tmp_path / "store"),), nprocs=2)
    for rank in (0, 1):
        assert (tmp_path / f"store-{rank}").read_text().split() == [*KEYS]

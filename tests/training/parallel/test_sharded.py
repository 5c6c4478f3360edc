"""Sharding changes neither the losses nor the gradients; with bfloat16 the weights and gradients stay float32."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode

from tests.training.checkpoint.models import batch, decoder
from training.config.run import Parallel
from training.parallel.mesh import worker_group
from training.parallel.recompute import recompute
from training.parallel.sharded import WholePasses, reduce_gradients, shard
from training.trainable import Trainable

ROWS = torch.randint(0, 20, (2, 12), generator=torch.Generator().manual_seed(0)).tolist()


def gradients(model: Trainable) -> tuple[Tensor, dict[str, Tensor]]:
    losses = model(batch(*ROWS))
    torch.autograd.backward(losses.total)
    found = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    return losses.nats, {name: g.full_tensor() if isinstance(g, DTensor) else g for name, g in found.items()}


@pytest.mark.parametrize("tied", [pytest.param(True, id="tied"), pytest.param(False, id="own head")])
@pytest.mark.parametrize("zero", [1, 2, 3])
def test_sharding_changes_nothing(tied: bool, zero: int) -> None:
    plain, expected = gradients(decoder(layers=2, tied_embeddings=tied))
    with worker_group() as worker:
        model = decoder(layers=2, tied_embeddings=tied)
        shard(model, [model], worker.data, Parallel(zero=zero), None)
        assert all(isinstance(parameter, DTensor) for parameter in model.parameters())
        reduce_gradients(model, Parallel(zero=zero), last=True)
        nats, found = gradients(model)
    torch.testing.assert_close(nats, plain)
    assert found.keys() == expected.keys()
    for name in expected:
        torch.testing.assert_close(found[name], expected[name])


@pytest.mark.parametrize(("zero", "reduced"), [(1, [False, False, True]), (2, [True] * 3), (3, [True] * 3)])
def test_which_micro_batches_add_gradients_up(zero: int, reduced: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """With whole gradients in each process the last one does, for all of them."""
    found: list[bool] = []
    monkeypatch.setattr(FSDPModule, "set_requires_gradient_sync", lambda self, last: found.append(last))
    with worker_group() as worker:
        model = decoder()
        shard(model, [model], worker.data, Parallel(zero=zero), None)
        WholePasses(model, Parallel(zero=zero)).gradients([batch(*ROWS)] * 3, torch.tensor(1.0))
    assert found == reduced


def test_bfloat16_computes_and_float32_keeps() -> None:
    plain, _ = gradients(decoder())
    with worker_group() as worker:
        model = decoder()
        shard(model, [model], worker.data, Parallel(), torch.bfloat16)
        nats, found = gradients(model)
        assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    assert {gradient.dtype for gradient in found.values()} == {torch.float32}
    assert nats.dtype == torch.float32
    assert not torch.equal(nats, plain)
    torch.testing.assert_close(nats, plain, atol=0.05, rtol=0.01)


@pytest.mark.parametrize("how", ["selective", "full"])
def test_recomputing_changes_nothing(how: str) -> None:
    plain, expected = gradients(decoder(layers=2))
    model = decoder(layers=2)
    before = [name for name, _ in model.named_parameters()]
    recompute(model, how)
    nats, found = gradients(model)
    assert [name for name, _ in model.named_parameters()] == before
    torch.testing.assert_close(nats, plain)
    for name in expected:
        torch.testing.assert_close(found[name], expected[name])


class Products(TorchDispatchMode):
    """Counts matrix products."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += func is torch.ops.aten.mm.default
        return func(*args, **(kwargs or {}))


def test_recomputing_keeps_fewer_activations_and_selectively_all_products() -> None:
    def measured(how: str) -> tuple[int, int]:
        model = decoder(layers=2, width=32)
        recompute(model, how)
        sizes: list[int] = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t: (sizes.append(t.numel()), t)[1], lambda t: t):
            losses = model(batch(*ROWS))
        with Products() as products:
            torch.autograd.backward(losses.total)
        return sum(sizes), products.count

    kept, products = zip(*map(measured, ("none", "selective", "full")), strict=True)
    assert kept[1] < kept[0]
    assert kept[2] < kept[0]
    assert products[0] == products[1] == products[2] - 2 * 6  # the last of a block is not needed again

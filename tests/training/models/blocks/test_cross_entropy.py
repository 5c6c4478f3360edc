"""The chunked loss against the plain one: losses, gradients, memory, additions, labels that do not count."""

import math
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from training.batch import Batch
from training.models.blocks.cross_entropy import losses
from training.trainable import Losses


def made(
    rows: int = 3, labels: int = 21, width: int = 16, vocabulary: int = 40
) -> tuple[Tensor, Tensor, Tensor, Batch]:
    generator = torch.Generator().manual_seed(0)
    hidden = torch.randn(rows, labels, width, generator=generator).requires_grad_()
    weight = torch.randn(vocabulary, width, generator=generator).requires_grad_()
    bias = torch.randn(vocabulary, generator=generator).requires_grad_()
    ids = torch.randint(0, vocabulary, (rows, labels), generator=generator)
    weights = torch.rand(rows, labels, generator=generator).round(decimals=1)
    return hidden, weight, bias, Batch(inputs=ids, labels=ids, weights=weights, segments=None)


def plain(hidden: Tensor, weight: Tensor, batch: Batch, bias: Tensor | None = None) -> Losses:
    """All logits at once."""
    logits = hidden @ weight.T if bias is None else hidden @ weight.T + bias
    log_p = logits.log_softmax(-1)
    nats = -log_p.gather(-1, batch.labels[..., None])[..., 0]
    smoothed = (1 - batch.label_smoothing) * nats - batch.label_smoothing * log_p.mean(-1)
    each = smoothed + batch.z_loss * logits.logsumexp(-1).square()
    return Losses((each * batch.weights).sum(), (nats * batch.weights).sum(1), {})


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("z_loss", [0.0, 1e-2])
@pytest.mark.parametrize("biased", [False, True])
def test_it_is_the_plain_loss(smoothing: float, z_loss: float, biased: bool) -> None:
    hidden, weight, bias, batch = made()
    parameters = [hidden, weight, *([bias] if biased else [])]
    found: list[tuple[Tensor, ...]] = []
    for loss in (plain, losses):
        changed = Batch(**vars(batch) | {"label_smoothing": smoothing, "z_loss": z_loss})
        own = loss(hidden, weight, changed, bias if biased else None)
        gradients = torch.autograd.grad(own.total * 0.37, parameters)
        found.append((own.total.detach(), own.nats.detach(), *gradients))
    for expected, actual in zip(*found, strict=True):
        torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(found[1][0], found[0][0], rtol=1e-6, atol=1e-6)


def test_by_hand() -> None:
    """p = (1/4, 3/4), (1/2, 1/2), (1/2, 1/2), the last of weight 0."""
    hidden = torch.tensor([[[0.0, math.log(3.0)], [0.0, 0.0], [5.0, 5.0]]])
    labels = torch.tensor([[1, 0, 0]])
    batch = Batch(inputs=labels, labels=labels, weights=torch.tensor([[1.0, 2.0, 0.0]]), segments=None)
    found = losses(hidden, torch.eye(2), batch)
    assert found.total.item() == pytest.approx(-math.log(0.75) - 2 * math.log(0.5))
    assert found.nats.tolist() == pytest.approx([found.total.item()])
    assert found.parts == {}


def test_labels_of_weight_0_and_none_at_all() -> None:
    hidden, weight, _, batch = made()
    nothing = Batch(**vars(batch) | {"weights": torch.zeros_like(batch.weights)})
    found = losses(hidden, weight, nothing)
    assert found.total.item() == 0.0
    assert not any(gradient.any() for gradient in torch.autograd.grad(found.total, (hidden, weight)))
    empty = Batch(inputs=batch.inputs, labels=batch.labels[:, :0], weights=batch.weights[:, :0], segments=None)
    assert losses(hidden[:, :0], weight, empty).total.item() == 0.0


def test_bfloat16_is_summed_in_float32() -> None:
    hidden = torch.zeros(1, 1000, 4, dtype=torch.bfloat16, requires_grad=True)
    weight = torch.zeros(2, 4, dtype=torch.bfloat16, requires_grad=True)
    labels = torch.zeros(1, 1000, dtype=torch.int64)
    found = losses(hidden, weight, Batch(inputs=labels, labels=labels, weights=torch.ones(1, 1000), segments=None))
    assert found.total.dtype == found.nats.dtype == torch.float32
    assert found.total.item() == pytest.approx(1000 * math.log(2))
    gradients = torch.autograd.grad(found.total, (hidden, weight))
    assert {gradient.dtype for gradient in gradients} == {torch.bfloat16}


class Memory(TorchDispatchMode):
    """The most bytes that tensors made within it held at one time."""

    def __init__(self) -> None:
        super().__init__()
        self.peak = 0
        self.held: dict[int, int] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **kwargs or {})
        for tensor in tree_leaves(made):
            if isinstance(tensor, Tensor) and (place := tensor.untyped_storage().data_ptr()) not in self.held:
                self.held[place] = tensor.untyped_storage().nbytes()
                weakref.finalize(tensor.untyped_storage(), self.held.pop, place, None)
        self.peak = max(self.peak, sum(self.held.values()))
        return made


def peak(loss: Callable[..., Losses], *, differentiable: bool = True) -> int:
    hidden, weight, _, batch = made(rows=2, labels=1024, width=8, vocabulary=32_000)
    with Memory() as memory, torch.set_grad_enabled(differentiable):
        total = loss(hidden, weight, batch).total
        if differentiable:
            torch.autograd.backward(total)
    return memory.peak


def test_it_takes_a_quarter_of_the_plain_loss_memory_at_most() -> None:
    whole = peak(plain)
    assert whole > 2 * 2048 * 32_000 * 4  # logits and their gradient
    assert peak(losses) <= 0.25 * whole
    assert peak(losses, differentiable=False) < 2 * 2048 / 8 * 32_000 * 4 + 1e7  # two chunks, and the matrix

"""Sharding changes neither the logits nor the gradients; with bfloat16 the weights and gradients stay float32."""

import pytest
import torch
from torch import Tensor
from torch.distributed.tensor import DTensor
from training.parallel.sharding import shard

from training.models.decoder import Decoder
from training.parallel.mesh import worker_group
from training.trainable import Trainable

TOKENS = torch.randint(0, 50, (2, 12), generator=torch.Generator().manual_seed(0))


def decoder(tied: bool) -> Trainable:
    return Decoder(layers=2, width=16, heads=4, tied_embeddings=tied).build(50, 0)


def gradients(model: Trainable) -> tuple[Tensor, dict[str, Tensor]]:
    logits = model(TOKENS)
    torch.autograd.backward(logits.float().logsumexp(-1).sum())
    found = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    return logits, {name: g.full_tensor() if isinstance(g, DTensor) else g for name, g in found.items()}


@pytest.mark.parametrize("tied", [pytest.param(True, id="tied"), pytest.param(False, id="own head")])
def test_sharding_changes_nothing(tied: bool) -> None:
    plain, expected = gradients(decoder(tied))
    with worker_group() as worker:
        model = decoder(tied)
        shard(model, model.blocks, worker.mesh, bfloat16=False)
        assert all(isinstance(parameter, DTensor) for parameter in model.parameters())
        logits, found = gradients(model)
    torch.testing.assert_close(logits, plain)
    assert found.keys() == expected.keys()
    for name in expected:
        torch.testing.assert_close(found[name], expected[name])


def test_bfloat16_computes_and_float32_keeps() -> None:
    plain, _ = gradients(decoder(True))
    with worker_group() as worker:
        model = decoder(True)
        shard(model, model.blocks, worker.mesh, bfloat16=True)
        logits, found = gradients(model)
        assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    assert logits.dtype == torch.bfloat16
    assert {gradient.dtype for gradient in found.values()} == {torch.float32}
    torch.testing.assert_close(logits.float(), plain, atol=0.01, rtol=0.05)

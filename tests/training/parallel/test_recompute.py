"""Recomputed blocks compute the same, and are compiled: once for all of them, and whole."""

import pytest
import torch
from torch._dynamo.testing import CompileCounterWithBackend

from tests.training.models.made import MODELS, batch_of, model_of
from training.parallel.recompute import recompute


def gradients(how: str, backend: CompileCounterWithBackend | None = None) -> list[torch.Tensor]:
    architecture, kind = MODELS["decoder"]
    model = model_of(architecture)
    recompute(model, how)
    if backend:
        for block in model.blocks:
            block.compile(backend=backend, dynamic=False, fullgraph=True)
    torch.autograd.backward(model(batch_of(kind)).total)
    return [weight.grad for weight in model.parameters() if weight.grad is not None]


@pytest.mark.filterwarnings("ignore:The .grad attribute")  # of Dynamo's own reading
@pytest.mark.parametrize("how", ["none", "selective", "full"])
def test_compiled_once_for_all_blocks(how: str) -> None:
    torch._dynamo.reset()
    counter = CompileCounterWithBackend("aot_eager")
    compiled = gradients(how, counter)
    assert counter.frame_count == 1
    for one, other in zip(compiled, gradients("none"), strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("how", ["selective", "full"])
def test_not_compiled(how: str) -> None:
    for one, other in zip(gradients(how), gradients("none"), strict=True):
        assert torch.equal(one, other)

"""What only a GPU does: FlexAttention, attention of documents, bfloat16 and fp16, compiled blocks under FSDP. Each is
held against the CPU or against float32. Skipped where there is none; needs neither Ray nor a run.
"""

from dataclasses import replace
from typing import Any

import pytest
import torch

from tests.training.models.made import MODELS, batch_of, model_of
from training.batch import Batch, Kind
from training.config.components import Architecture
from training.config.parse import parse
from training.models.blocks.attention import attend
from training.models.blocks.masks import Visible, visible
from training.parallel.mesh import worker_group
from training.step import Step
from training.trainee import new_trainee

pytestmark = [
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU is here"),
    pytest.mark.timeout(300),
]
WIDE = {"width": 64, "heads": 2, "hidden": 64}  # heads as wide as the kernels want
each_model = pytest.mark.parametrize("name", MODELS)


def wide(name: str) -> tuple[Architecture, Kind]:
    architecture, kind = MODELS[name]
    changes: dict[str, Any] = dict(WIDE)
    if hasattr(architecture, "kv_heads"):
        changes["kv_heads"] = 1
    if name == "electra":
        changes["generator_divisor"] = 1
    return replace(architecture, head_width=32, **changes), kind


def gradients(model: torch.nn.Module, batch: Batch) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Nats by row, and all gradients, on the CPU."""
    losses = model(batch)
    torch.autograd.backward(losses.total)
    return losses.nats.cpu(), {name: one.grad.cpu() for name, one in model.named_parameters() if one.grad is not None}


@each_model
def test_it_computes_what_the_cpu_does(name: str) -> None:
    architecture, kind = wide(name)
    nats, expected = gradients(model_of(architecture), batch_of(kind))
    device = torch.device("cuda")
    found, own = gradients(model_of(architecture).to(device), batch_of(kind).to(device))
    torch.testing.assert_close(found, nats, atol=1e-3, rtol=1e-4)
    assert own.keys() == expected.keys()
    for key, gradient in expected.items():
        torch.testing.assert_close(own[key], gradient, atol=2e-3, rtol=1e-2, msg=lambda text, key=key: f"{key}: {text}")


def test_documents_apart_are_those_of_the_mask() -> None:
    device = torch.device("cuda")
    generator = torch.Generator().manual_seed(0)
    heads = [torch.randn(2, 4, 12, 32, generator=generator).to(device, torch.bfloat16) for _ in range(3)]
    rows = batch_of(Kind.PLAIN).to(device)
    found = [attend(*heads, Visible(starts=rows.starts)), attend(*heads, visible(rows, dtype=torch.float32))]
    torch.testing.assert_close(found[0], found[1], atol=2e-2, rtol=2e-2)
    assert rows.segments is not None
    assert (rows.segments == 2).any()


WAYS: dict[str, dict[str, Any]] = {
    "bf16": {"precision": "bf16"},
    "fp16": {"precision": "fp16"},
    "compiled": {"precision": "bf16", "compile": True},
    "compiled, all recomputed": {"precision": "bf16", "compile": True, "recompute": "full"},
    "compiled, some recomputed": {"precision": "bf16", "compile": True, "recompute": "selective"},
    "offloaded": {"precision": "bf16", "parallel": {"offload": True}},
}


def losses(name: str, **settings: Any) -> list[float]:
    """Of updates on the same rows, each once: an overflow in fp16 leaves an update out."""
    architecture, kind = wide(name)
    config = parse({"model": {"decoder": {}}, "batch_rows": 2, **settings})
    config = replace(config, model=replace(architecture, vocabulary=50))
    with worker_group() as worker:
        step = Step(new_trainee(config, worker), config, worker)
        updates = [step.run([batch_of(kind)], 1e-3) for _ in range(6)]
        return list(dict.fromkeys(float(update.loss) for update in updates))[:3]


@each_model
@pytest.mark.parametrize("way", WAYS)
def test_an_update_is_that_of_float32(name: str, way: str) -> None:
    torch._dynamo.reset()
    expected = losses(name, precision="fp32")
    assert expected[2] < expected[0]
    assert losses(name, **WAYS[way]) == pytest.approx(expected, rel=2e-2)

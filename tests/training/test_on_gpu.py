"""What only a GPU does: FlexAttention, attention of documents, bfloat16 and fp16, compiled blocks under FSDP. Each is
held against the CPU or against float32. Skipped where there is none; needs neither Ray nor a run.
"""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from curation.core.energy_meter import EnergyMeter
from tests.training.models.made import MODELS, batch_of, model_of
from tests.training.runs import TINY, counting_run, read_metrics
from training.batch import Batch, Kind
from training.config.components import Architecture
from training.config.parse import parse
from training.health.gpu import GpuWatch, name_of
from training.models.blocks.attention import attend
from training.models.blocks.masks import Visible, visible
from training.parallel.mesh import worker_group
from training.start import train
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


def test_a_training_of_which_the_first_half_is_another_process(tmp_path: Path) -> None:
    """Checkpoints are copied off the device while it goes on."""
    run = str(counting_run(tmp_path / "run"))
    whole = train(parse(TINY), run, str(tmp_path / "whole"))

    def stop(record: dict[str, Any]) -> None:
        if (record["kind"], record["step"]) == ("step", 5):
            raise InterruptedError

    with pytest.raises(InterruptedError):
        train(parse(TINY), run, str(tmp_path / "model"), on_record=stop)
    again = train(parse(TINY), run, str(tmp_path / "model"))
    assert again["validation_loss"] == pytest.approx(whole["validation_loss"], rel=1e-6)
    steps = [record for record in read_metrics(tmp_path / "model" / "metrics.jsonl") if record["kind"] == "step"]
    assert [record["step"] for record in steps] == list(range(1, 9))
    assert all(0 < record["probe"]["most"] < 0.1 for record in steps)


def test_memory_that_runs_out_is_one_line(tmp_path: Path) -> None:
    run = str(counting_run(tmp_path / "run"))
    torch.cuda.empty_cache()
    torch.cuda.set_per_process_memory_fraction(0.002)
    try:
        with pytest.raises(MemoryError, match=r"memory ran out \(.*try micro_batch_rows below 4, then recompute: sel"):
            train(
                parse({**TINY, "model": {"decoder": {"layers": 8, "width": 1024, "heads": 8}}}),
                run,
                str(tmp_path / "model"),
            )
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)


def test_the_library_of_a_real_gpu_is_heard() -> None:
    watch = GpuWatch(torch.device("cuda", 0))
    state = watch.state()
    assert state.broken == ""
    assert watch.asks


def test_the_energy_of_a_real_gpu_is_counted() -> None:
    meter = EnergyMeter([name_of(torch.device("cuda", 0))])
    square = torch.ones(2048, 2048, device="cuda")
    began = time.perf_counter()
    while time.perf_counter() - began < 3:
        (square @ square).sum().item()
    (joules,) = (used for counter, used in meter.read().items() if counter.part == "gpu")
    assert joules is not None
    assert 20 < joules / (time.perf_counter() - began) < 1500  # watts

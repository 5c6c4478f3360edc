"""The estimate beside the allocator's peak, beside what an H200 took, and what each axis keeps, by hand."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from benchmarks.training.memory import allocated, estimated, small
from benchmarks.training.step import PRESETS, configured
from training.config.layout import layout_of
from training.config.parse import parse
from training.config.run import TrainConfig
from training.memory import ProcessMemory, StepMemory
from training.models.decoder import Decoder
from training.optim.lion import Lion

TINY = Decoder(layers=3, width=64, heads=4, vocabulary=1024)
WEIGHTS = 2 * (4 * 32 * 32 + 3 * 32 * 64) + 2 * 64 * 32 + 5 * 32  # of two layers, embedding and head; norms


@pytest.mark.parametrize(
    ("rounds", "changes"),
    [
        pytest.param(1, {}, id="one micro-batch"),
        pytest.param(2, {"recompute": "full"}, id="two, recomputed"),
        pytest.param(2, {"precision": "bf16", "recompute": "selective"}, id="two, bf16, selective"),
        pytest.param(1, {"optimizer": Lion()}, id="one moment"),
        pytest.param(1, {"documents_apart": True}, id="documents apart"),
        pytest.param(2, {"documents_apart": True, "precision": "bf16", "recompute": "full"}, id="apart, bf16, full"),
    ],
)
def test_within_a_tenth_of_the_allocator(rounds: int, changes: dict[str, Any]) -> None:
    config = small(2, 128, rounds, model=TINY, **changes)
    assert estimated(config) == pytest.approx(allocated(config), rel=0.1)


@pytest.mark.parametrize(
    ("preset", "recompute", "gib"),
    [("350m", "none", 34.84), ("1b", "none", 64.64), ("1b", "selective", 46.35)],
)
def test_within_a_tenth_of_an_h200(preset: str, recompute: Any, gib: float) -> None:
    """Measured by `python -m benchmarks training.step` (benchmarks/README.md), eager, and compiled where recomputed."""
    config = configured(preset, PRESETS[preset], 2048, recompute=recompute)
    found = StepMemory(config, torch.bfloat16, on_gpu=True).of(config, layout_of(config.parallel, 1))
    assert found.total / 2**30 == pytest.approx(gib, rel=0.1)


@pytest.mark.parametrize("objective", ["causal", "prefix_lm", "masked"])
def test_a_gpu_keeps_no_mask(objective: str) -> None:
    """Of rows of 8,192 tokens a mask with a number for each pair would take 128 MiB a layer."""
    model = {"layers": 2, "width": 64, "heads": 2, "vocabulary": 256}
    long = {"model": {"decoder": model}, "objective": {objective: {}}, "batch_rows": 1, "sequence_length": 8192}
    config = parse({**long, "documents_apart": True})
    found = StepMemory(config, torch.bfloat16, on_gpu=True).of(config, layout_of(config.parallel, 1))
    assert found.activations < 128 * 2**20


def settings(**changes: Any) -> TrainConfig:
    model = {"layers": 2, "width": 32, "heads": 4, "hidden": 64, "tied_embeddings": False, "vocabulary": 64}
    plain = {"model": {"decoder": model}, "batch_rows": 16, "micro_batch_rows": 2, "sequence_length": 8}
    return parse({**plain, **changes})


def taken(config: TrainConfig, workers: int) -> ProcessMemory:
    return StepMemory(config, None, on_gpu=False).of(config, layout_of(config.parallel, workers))


@pytest.mark.parametrize(
    ("parallel", "workers", "weights", "gradients"),
    [
        ({}, 1, WEIGHTS, WEIGHTS),
        ({}, 4, WEIGHTS / 4, WEIGHTS / 4),
        ({"zero": 1}, 4, WEIGHTS / 4, WEIGHTS),
        ({"replicate": 4}, 4, WEIGHTS, WEIGHTS),
        ({"tensor": 2}, 4, WEIGHTS / 4, WEIGHTS / 4),
        ({"offload": True}, 2, 0, 0),
    ],
)
def test_what_a_process_keeps(parallel: dict[str, Any], workers: int, weights: float, gradients: float) -> None:
    found = taken(settings(parallel=parallel), workers)
    assert (found.weights, found.gradients) == (4 * weights, 4 * gradients)
    assert found.moments == pytest.approx(2 * found.weights, rel=0.01)
    assert bool(found.gathered) == (workers > 1)


def test_stage_3_gathers_less_than_stage_2() -> None:
    third, second = (taken(settings(parallel={"zero": zero}), 2).gathered for zero in (3, 2))
    assert third == second  # two blocks are all that there are
    deeper = settings(model={"decoder": {"layers": 8, "width": 32, "heads": 4, "vocabulary": 64}})
    third, second = (
        taken(replace(deeper, parallel=replace(deeper.parallel, zero=zero)), 2).gathered for zero in (3, 2)
    )
    assert third < second / 2


def test_gpipe_keeps_the_activations_of_all_micro_batches() -> None:
    waits = [
        taken(settings(parallel={"pipeline": 2, "schedule": schedule}), 2).activations for schedule in ("1f1b", "gpipe")
    ]
    assert waits[1] > 3 * waits[0]


@pytest.mark.parametrize(
    ("objective", "model", "optimizer"),
    [
        ("masked", "encoder", "adamw"),
        ("span_corruption", "encoder_decoder", "adafactor"),
        ("permutation", "two_stream", "sophia"),
        ("replaced_token", "electra", "sam"),
        ("fim", "decoder", "lamb"),
    ],
)
def test_every_kind_of_model_has_an_estimate(objective: str, model: str, optimizer: str) -> None:
    plain = {"sequence_length": 128, "batch_rows": 4, "optimizer": {optimizer: {}}}
    config = parse({"objective": {objective: {}}, "model": {model: {"vocabulary": 256}}, **plain})
    found = StepMemory(config, torch.bfloat16, on_gpu=True).of(config, layout_of(config.parallel, 2))
    assert min(found.weights, found.gathered, found.activations) > 0

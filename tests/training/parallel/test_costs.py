"""What a layout costs, by hand."""

import torch

from training.config.layout import layout_of
from training.config.parse import parse
from training.parallel.costs import bytes_sent, costs, held_parameters
from training.parallel.sharded import shards_sent

SETTINGS = {
    "model": {"decoder": {"layers": 2, "width": 32, "heads": 4, "hidden": 64, "tied_embeddings": False}},
    "batch_rows": 16,
    "micro_batch_rows": 2,
    "sequence_length": 8,
}
SPLIT = 2 * (4 * 32 * 32 + 3 * 32 * 64) + 2 * 64 * 32  # matrices of two layers, embedding and head
WHOLE = 5 * 32  # norms


def test_a_process_keeps_its_part() -> None:
    config = parse({**SETTINGS, "parallel": {"tensor": 2, "replicate": 2}})
    with torch.device("meta"):
        model = config.model.build(64)
    assert held_parameters(model, layout_of(config.parallel, 8)) == (SPLIT // 2 + WHOLE) // 2


def test_lines_of_each_axis() -> None:
    config = parse({**SETTINGS, "parallel": {"pipeline": 2, "tensor": 2}})
    with torch.device("meta"):
        model = config.model.build(64)
    pipeline, tensor, waits, memory = costs(config, model, layout_of(config.parallel, 4), 4)
    assert pipeline.startswith("parallel.pipeline 2: a process sends 16.0 KiB a step")
    assert tensor.startswith("parallel.tensor 2: a process sends ")
    assert " KiB a step" in tensor
    assert waits.startswith(
        "a process of the pipeline waits for 11.1% of the time, as (2 - 1) / (8 micro-batches + 2 - 1)"
    )
    assert memory == "weights, gradients and moments take 97.2 KiB in each of 4 processes"


def test_bytes_of_zero_by_hand() -> None:
    """Of 100 weights in 4 shards and 3 micro-batches of 2 bytes."""
    assert shards_sent(100, 4, 3, 3, 2) == 100 * (6 * 2 + 3 * 4) * 3 // 4
    assert shards_sent(100, 4, 2, 3, 2) == 100 * (2 + 3 * 4) * 3 // 4
    assert shards_sent(100, 4, 1, 3, 2) == 100 * (2 + 4) * 3 // 4


def test_bytes_of_each_axis_by_hand() -> None:
    """Two copies of four shards of two processes that share matrices: 8 readers with one micro-batch of 2 rows each."""
    config = parse({**SETTINGS, "parallel": {"tensor": 2, "replicate": 2}})
    with torch.device("meta"):
        model = config.model.build(64)
    weights = SPLIT // 2 + WHOLE
    sent = bytes_sent(config, model, layout_of(config.parallel, 16), 4)
    assert sent["replicate"] == 2 * (weights // 4) * 4 // 2
    assert sent["shard"] == weights * (2 * 4 + 4) * 3 // 4
    assert sent["context"] == 0


def test_bytes_of_parts_of_one_model_by_hand() -> None:
    """Two processes with two of four stages each, of two that share rows, of two that share matrices: each has 16 rows
    of 8 / 2 places, one of two layers, and one of two key heads."""
    parallel = {"pipeline": 2, "context": 2, "tensor": 2, "schedule": "interleaved_1f1b"}
    sizes = {"layers": 2, "width": 32, "heads": 4, "kv_heads": 2, "hidden": 64, "tied_embeddings": False}
    config = parse({**SETTINGS, "model": {"decoder": sizes}, "parallel": parallel})
    with torch.device("meta"):
        model = config.model.build(64)
    sent = bytes_sent(config, model, layout_of(config.parallel, 8), 4)
    places = 16 * 4
    assert sent["pipeline"] == 2 * 2 * places * 32 // 2 * 4  # the stream of two stages and its gradient
    assert sent["context"] == 2 * 2 * places * (16 // 2) * 4  # keys and values of a layer, and their gradients
    assert sent["tensor"] == 4 * places * (2 * 2 + 1) * 32 * 4 // 2 // 2  # two halves of two layers, and the ends

"""Every layout that is found is one that a training takes, and fits."""

from dataclasses import replace
from typing import Any

import pytest

from training.config.arithmetic import check_workers
from training.config.layout import check_length
from training.config.parse import parse
from training.memory import USABLE
from training.metrics.devices import accelerator, network
from training.plan.layouts import LayoutSearch
from training.preflight import check_layout

MODEL = {"layers": 4, "width": 64, "heads": 4, "kv_heads": 2, "tied_embeddings": False, "vocabulary": 128}


def search(gpus: int, memory: float = 80e9, **changes: Any) -> LayoutSearch:
    config = parse({"model": {"decoder": MODEL}, "batch_rows": 8, "sequence_length": 4096, **changes})
    device = replace(accelerator("a100"), memory=memory)
    return LayoutSearch(config, gpus, device, network("hdr"))


def test_a_training_takes_what_is_found() -> None:
    found = search(4).found()
    assert {one.layout.tensor for one in found} == {1, 2}  # two key heads
    assert {one.layout.pipeline for one in found} == {1, 2, 4}
    assert found == sorted(found, key=lambda one: one.seconds)
    for one in found:
        settings = {name: size for name, size in one.layout._asdict().items() if name != "shard"}
        parallel = {**settings, "zero": one.zero}
        config = parse(
            {
                "model": {"decoder": MODEL},
                "batch_rows": 8,
                "sequence_length": 4096,
                "parallel": parallel,
                "micro_batch_rows": one.micro_batch_rows,
                "recompute": one.recompute,
            }
        )
        check_workers(config, 4)
        check_length(config, 4096)
        check_layout(config, 4)


def test_a_split_schedule_is_planned_without_selective_recompute() -> None:
    axes = {"pipeline": 2, "schedule": "zbv", "zero": 2}
    plain = search(2, parallel=axes, micro_batch_rows=1).found()
    pipelined = [one for one in plain if one.layout.pipeline == 2]
    tight = min(one.memory.total for one in pipelined) * 0.6 / USABLE
    found = [one for one in search(2, tight, parallel=axes).found() if one.layout.pipeline == 2]
    assert {one.recompute for one in found} == {"full"}


def test_shards_come_first_where_they_fit_and_other_axes_where_rows_are_few() -> None:
    first = search(4).found()[0]
    assert str(first.layout) == "shard 4"
    assert first.settings == "parallel.zero=3 micro_batch_rows=2 recompute=none"
    few = search(4, batch_rows=2).found()
    assert all(one.layout.readers <= 2 for one in few)


def test_less_memory_takes_recompute_then_nothing_fits() -> None:
    most = max(search(2).found(), key=lambda one: one.memory.total)
    tight = most.memory.total * 0.75 / USABLE
    found = search(2, tight).found()
    assert all(one.memory.total <= USABLE * tight for one in found)
    assert any(one.recompute != "none" or one.micro_batch_rows < 4 for one in found)
    none = search(2, 1e6)
    assert none.found() == []
    assert "may be used" in none.problem


def test_json() -> None:
    record = search(2).found()[0].record()
    assert record["layout"]["shard"] == 2
    assert record["memory"]["total"] == pytest.approx(sum(v for k, v in record["memory"].items() if k != "total"))
    assert record["seconds"] > 0

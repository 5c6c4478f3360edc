"""Which layers a process has, and what cannot be cut; what stages compute together is in test_parity.py."""

from typing import Any

import pytest
import torch

from training.config.layout import layout_of
from training.config.parse import parse
from training.parallel.pipeline import check_pipeline, cut

SIZES = {"layers": 5, "width": 32, "heads": 4, "tied_embeddings": False}


def settings(changes: dict[str, Any], model: Any = SIZES, **more: Any) -> dict[str, Any]:
    return {"model": {"decoder": model}, "parallel": {"pipeline": 2, **changes}, **more}


@pytest.mark.parametrize(
    ("schedule", "rank", "names"),
    [
        ("1f1b", 0, {"embedding", "blocks.0", "blocks.1"}),
        ("1f1b", 1, {"blocks.2", "blocks.3", "blocks.4", "norm", "head"}),
        ("interleaved_1f1b", 0, {"embedding", "blocks.0", "blocks.2"}),
        ("zbv", 0, {"embedding", "blocks.0", "blocks.3", "blocks.4", "norm", "head"}),
        ("zbv", 1, {"blocks.1", "blocks.2"}),
    ],
)
def test_a_process_keeps_its_layers_under_their_names(schedule: str, rank: int, names: set[str]) -> None:
    config = parse(settings({"schedule": schedule}))
    with torch.device("meta"):
        model = config.model.build(64)
    parts = cut(model, config, layout_of(config.parallel, 2), rank)
    kept = {".".join(name.split(".")[: 2 if name.startswith("blocks") else 1]) for name, _ in model.named_parameters()}
    assert kept == names
    assert (model.begins, model.ends) == ("embedding" in names, "head" in names)
    assert sum(len(part.numbers) for part in parts) == sum(name.startswith("blocks") for name in names)


@pytest.mark.parametrize(
    ("changes", "workers", "message"),
    [
        (settings({}, {**SIZES, "layers": 1}), 2, "has 2 stages, but the model has 1 layers"),
        (settings({"schedule": "zbv"}, {**SIZES, "layers": 3}), 2, "has 4 stages, but the model has 3 layers"),
        (settings({}, {**SIZES, "tied_embeddings": True}), 2, "write tied_embeddings: false"),
        (settings({"schedule": "zbv", "zero": 2}, compile=True), 2, "compiled blocks do not allow .*161904"),
        (settings({"schedule": "zbv"}), 4, "zero 3 lets them go between passes; write zero: 2"),
        ({"model": {"encoder": {}}, "parallel": {"pipeline": 2}}, 2, "cuts decoders only"),
    ],
)
def test_what_cannot_be_cut(changes: dict[str, Any], workers: int, message: str) -> None:
    config = parse(changes)
    with torch.device("meta"):
        model = config.model.build(64)
    with pytest.raises(ValueError, match=message):
        check_pipeline(model, config, layout_of(config.parallel, workers))

"""What cannot be split by tensor, and what it sends; what it computes is in test_parity.py."""

from typing import Any

import pytest
import torch

from training.config.parse import parse
from training.parallel.mesh import worker_group
from training.parallel.tensor import check_tensor, split
from training.trainable import Trainable


def model(key: str = "decoder", **sizes: Any) -> Trainable:
    config = parse({"model": {key: {"layers": 2, "width": 32, "heads": 4, **sizes}}})
    with torch.device("meta"):
        return config.model.build(64)


@pytest.mark.parametrize(
    ("network", "parts", "shards", "message"),
    [
        pytest.param(
            model(width=48, heads=3, hidden=63),
            3,
            1,
            "embedding.weight has 64 inputs, which parallel.tensor 3 does not",
            id="tokens",
        ),
        pytest.param(model(kv_heads=2), 4, 1, "key.weight has 2 heads, which parallel.tensor 4 does not", id="heads"),
        pytest.param(model(hidden=62), 4, 1, "gate.weight has 62 outputs, which parallel.tensor 4", id="hidden"),
        pytest.param(model(), 2, 3, "has 32 elements .* which 3 shards", id="shards"),
        pytest.param(model("encoder_decoder"), 2, 1, "passes several streams from block to block", id="streams"),
    ],
)
def test_what_does_not_divide(network: Trainable, parts: int, shards: int, message: str) -> None:
    check_tensor(model(), 2, 2)
    with pytest.raises(ValueError, match=message):
        check_tensor(network, parts, shards)


@pytest.mark.parametrize("tied", [False, True])
def test_names_and_sizes_stay(tied: bool) -> None:
    expected = {name: tuple(one.shape) for name, one in model(tied_embeddings=tied).named_parameters()}
    network = model(tied_embeddings=tied)
    with worker_group() as worker:
        split(network, worker.tensor)
        assert {name: tuple(one.shape) for name, one in network.named_parameters()} == expected

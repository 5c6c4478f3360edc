"""What a config may say of a model whose weights are there."""

from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import InputError
from curation.core.model_folder import check_sizes
from curation.core.tensor_header import StatedTensor
from tests.support import table

# Two tensors of 60 weights.
HELD = {"a": StatedTensor("F32", (5, 8), 0, 160), "b": StatedTensor("F32", (20,), 160, 240)}
PATH = Path("config.json")


@table(
    "config",
    {
        "as many layers as tensors": {"num_hidden_layers": 2},
        "a width of all weights": {"hidden_size": 60, "vocab_size": 60},
        "positions that are no weights": {"max_position_embeddings": 131_072, "rope_theta": 10**30},
        "an id that is none": {"pad_token_id": -1, "eos_token_id": 128_001, "ignore_index": -100},
        "a model in a model": {"text_config": {"n_layers": 2}},
        "a layer from which on there is a window": {"max_window_layers": 28},
    },
)
def test_sizes_that_may_be(config: dict[str, Any]) -> None:
    check_sizes(PATH, config, HELD)


@table(
    "config, message",
    {
        "more layers than tensors": (
            {"num_hidden_layers": 3},
            "num_hidden_layers is 3, which is no size of a model of 60",
        ),
        "more experts than tensors": ({"num_local_experts": 3}, "num_local_experts is 3"),
        "a width of more than all weights": ({"hidden_size": 61}, "hidden_size is 61"),
        "a number beyond all sizes": ({"conv_kernel": [3, 2**32 + 1]}, "conv_kernel is 4294967297"),
        "fewer than none": ({"hidden_size": -2}, "hidden_size is -2"),
        "no number": ({"text_config": {"dropout": float("inf")}}, "dropout is inf"),
        "in a model in a model": ({"text_config": {"n_layers": 10**400}}, "n_layers is 10000000000"),
    },
)
def test_sizes_that_cannot_be(config: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        check_sizes(PATH, config, HELD)
    assert len(str(caught.value)) < 300

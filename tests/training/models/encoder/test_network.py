"""The encoder: what near and far layers see, layers without a norm, and what its parameters are for."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.training.models.made import SMALL, VOCABULARY, example_of, model_of
from training.batch import Batch, Kind
from training.models.encoder import Encoder
from training.roles import Purpose, Role

ONE = np.ones(12, np.int32)
EVERY = {"places": np.arange(12), "labels": np.ones(12, np.int64), "weights": np.ones(12, np.float32)}


def reach(encoder: Encoder, place: int, **options: object) -> list[int]:
    """The places whose logits change with the token at one."""
    model = model_of(encoder)
    before = example_of(Kind.PREFIXED, segments=ONE, **EVERY, **options)
    inputs = before.inputs.copy()
    inputs[place] = inputs[place] % (VOCABULARY - 2) + 2
    first, second = (model.logits(Batch.of([row])) for row in (before, replace(before, inputs=inputs)))
    return torch.nonzero((first != second).any(dim=-1)[0])[:, 0].tolist()


def test_a_layer_that_sees_all_reaches_all() -> None:
    assert reach(Encoder(**SMALL), 6) == list(range(12))


@pytest.mark.parametrize(
    ("layers", "places"), [pytest.param(2, range(4, 9), id="one local layer"), pytest.param(3, range(2, 11), id="two")]
)
def test_local_layers_reach_half_a_window_each(layers: int, places: range) -> None:
    """The first layer sees all, so it is left out by a value projection of 0."""
    encoder = Encoder(**SMALL | {"layers": layers}, global_every=9, local_window=4)
    model = model_of(encoder)
    with torch.no_grad():
        model.get_parameter("blocks.0.attention.value.weight").zero_()
    before = example_of(Kind.PREFIXED, segments=ONE, **EVERY)
    inputs = before.inputs.copy()
    inputs[6] = inputs[6] % (VOCABULARY - 2) + 2
    first, second = (model.logits(Batch.of([row])) for row in (before, replace(before, inputs=inputs)))
    assert torch.nonzero((first != second).any(dim=-1)[0])[:, 0].tolist() == list(places)


def test_what_is_not_seen_only_later_places_see() -> None:
    assert reach(Encoder(**SMALL), 6, seen=np.arange(12) < 4) == list(range(6, 12))


def test_parameters_that_differ_from_a_decoder() -> None:
    model = model_of(Encoder(**SMALL))
    roles = model.roles()
    assert "blocks.0.attention_norm.weight" not in roles
    assert roles["blocks.1.attention_norm.weight"] == Role(Purpose.NORM)
    assert roles["head_bias"] == Role(Purpose.BIAS)
    assert roles["prediction.dense.weight"] == Role(Purpose.HIDDEN, None, 0.02, "labels")
    assert not model.get_parameter("head_bias").any()
    assert {name for name in roles if name.endswith("bias")} == {"head_bias"}

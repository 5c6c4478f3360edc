"""ELECTRA: tokens drawn by hand, what is replaced, both losses, and gradients that do not pass the draw."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.training.models.made import MODELS, SEGMENTS, example_of, model_of
from training.batch import Batch, Kind
from training.models.electra import Electra
from training.models.electra.network import ElectraNetwork, draw
from training.roles import Purpose, Role

ELECTRA = MODELS["electra"][0]


def network() -> ElectraNetwork:
    model = model_of(ELECTRA)
    assert isinstance(model, ElectraNetwork)
    return model


@pytest.mark.parametrize(
    ("uniform", "token"),
    [
        pytest.param(0.0, 0, id="the first"),
        pytest.param(0.124, 0, id="within 1/8"),
        pytest.param(0.126, 1, id="past 1/8"),
        pytest.param(0.374, 1, id="within 3/8"),
        pytest.param(0.376, 3, id="past 3/8: token 2 has no share"),
        pytest.param(0.9999999, 3, id="the last"),
    ],
)
def test_a_token_is_drawn_by_its_share(uniform: float, token: int) -> None:
    """Shares 1/8, 1/4, 0 and 5/8."""
    bias = torch.tensor([1.0, 2.0, 0.0, 5.0]).log()
    assert draw(torch.zeros(1, 2), torch.zeros(4, 2), bias, torch.tensor([uniform])).tolist() == [token]


def test_what_is_replaced() -> None:
    """The generator fills with token 7 for sure; a label of weight 0 at place 0 changes nothing there."""
    model = network()
    with torch.no_grad():
        assert model.head_bias is not None
        model.head_bias[7] = 100.0
    example = example_of(
        Kind.REPLACED,
        places=np.array([1, 3, 6, 0]),
        labels=np.array([7, 9, 4, 5]),
        weights=np.array([1, 1, 1, 0], np.float32),
    )
    batch = Batch.of([example])
    tokens, replaced = model.replace(batch, model.hidden(batch))
    expected = example.inputs.copy()
    expected[[1, 3, 6]] = 7
    assert tokens[0].tolist() == expected.tolist()
    assert torch.nonzero(replaced[0])[:, 0].tolist() == [3, 6]  # at 1 it was right


def test_both_losses() -> None:
    model = network()
    batch = Batch.of([example_of(Kind.REPLACED)])
    with torch.no_grad():
        model.detector.weight.zero_()  # it says one half of each token
    losses = model(batch)
    assert losses.parts.keys() == {"generator", "detection"}
    assert losses.parts["detection"].item() == pytest.approx(9 * 0.5 * math.log(2))  # nine tokens of weight 0.5
    assert losses.parts["generator"].item() == pytest.approx(losses.nats.item())
    assert losses.total.item() == pytest.approx(sum(part.item() for part in losses.parts.values()))
    assert not any(part.requires_grad for part in losses.parts.values())


def test_padding_is_not_judged() -> None:
    model = network()
    example = example_of(Kind.REPLACED)
    one, other = (
        model(Batch.of([row])).parts["detection"]
        for row in (example, replace(example, inputs=np.where(SEGMENTS > 0, example.inputs, 3)))
    )
    torch.testing.assert_close(one, other)


def test_the_discriminator_does_not_teach_the_generator() -> None:
    """Its gradients are the same whatever detection weighs, but for those of the embedding, which both share."""
    model = network()
    by_weight = []
    for weight in (0.0, 0.5):
        detection = np.full(len(SEGMENTS), weight, np.float32)
        model.zero_grad()
        torch.autograd.backward(model(Batch.of([example_of(Kind.REPLACED, detection=detection)])).total)
        by_weight.append({name: one.grad for name, one in model.named_parameters() if one.grad is not None})
    own = ("to_generator", "generator_norm", "prediction", "head_bias", "blocks.0.", "blocks.1.")
    same = {name for name, gradient in by_weight[0].items() if torch.equal(gradient, by_weight[1][name])}
    assert same == {name for name in by_weight[0] if name.startswith(own)}


def test_sizes_of_the_pair() -> None:
    model = model_of(Electra(preset="electra_small"))
    blocks = {name: tuple(one.shape) for name, one in model.named_parameters()}
    assert len(model.blocks) == 24
    assert blocks["embedding.weight"] == (50, 128)
    assert blocks["blocks.11.attention.query.weight"] == (64, 64)
    assert blocks["blocks.12.attention.query.weight"] == (256, 256)
    assert blocks["to_generator.dense.weight"] == (64, 128)
    assert model.roles()["detector.weight"] == Role(Purpose.OUTPUT, None, 0.02, "inputs")

"""Two streams: logits are those of an evaluation token by token in the drawn order, and no place sees its own token."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.training.models.made import SMALL, VOCABULARY, example_of, model_of
from training.batch import Batch, Kind
from training.models.blocks.masks import Visible
from training.models.blocks.rotary import rotary
from training.models.blocks.token_model import TokenModel
from training.models.two_stream import TwoStream
from training.models.two_stream.network import THETA, TwoStreamBlock

ORDER = np.array([5, 0, 7, 3, 10, 1, 8, 2, 11, 4, 6, 9], np.int32)
PLACES = np.array([8, 4, 11, 6])  # those of the last turns
EXAMPLE = example_of(Kind.PERMUTED, segments=np.ones(12, np.int32), order=ORDER, places=PLACES)


def step_by_step(model: TokenModel) -> Tensor:
    """[K, V]: tokens enter one after the other by their turns, each knowing keys and values of those before alone; a
    place that is predicted asks before its token enters."""
    blocks = [block for block in model.blocks if isinstance(block, TwoStreamBlock)]
    kept: list[list[tuple[Tensor, Tensor]]] = [[] for _ in blocks]
    logits: dict[int, Tensor] = {}
    for place in np.argsort(ORDER).tolist():
        turn = rotary(torch.tensor([[place]]), model.config.head_width, THETA)
        if place in PLACES:
            asking = model.get_parameter("asking.weight")[None]
            for block, before in zip(blocks, kept, strict=True):
                query = block.attention.queries(block.attention_norm(asking), turn)
                asking = block.fed(asking + answer(block, query, before), None)
            hidden = model.get_submodule("norm")(asking)
            logits[place] = (hidden @ model.output_matrix.T)[0, 0]
        content = model.embedding(torch.tensor([[EXAMPLE.inputs[place]]]))
        for block, before in zip(blocks, kept, strict=True):
            normalised = block.attention_norm(content)
            before.append(block.attention.asked(normalised, turn))
            content = block.fed(content + answer(block, block.attention.queries(normalised, turn), before), None)
    return torch.stack([logits[place] for place in PLACES.tolist()])


def answer(block: TwoStreamBlock, query: Tensor, before: list[tuple[Tensor, Tensor]]) -> Tensor:
    keys, values = (torch.cat(parts, dim=2) for parts in zip(*before, strict=True))
    all_of_them = Visible(mask=torch.ones(1, 1, 1, keys.shape[2], dtype=torch.bool))
    return block.attention.read(query, keys, values, all_of_them)


def test_logits_are_those_of_an_evaluation_step_by_step() -> None:
    model = model_of(TwoStream(**SMALL, initial_deviation=0.3))
    with torch.no_grad():
        torch.testing.assert_close(model.logits(Batch.of([EXAMPLE]))[0], step_by_step(model), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("place", range(12))
def test_a_token_reaches_places_of_later_turns(place: int) -> None:
    model = model_of(TwoStream(**SMALL))
    inputs = EXAMPLE.inputs.copy()
    inputs[place] = inputs[place] % (VOCABULARY - 2) + 2
    rows = (EXAMPLE, replace(EXAMPLE, inputs=inputs))
    first, second = (model.logits(Batch.of([row])) for row in rows)
    assert (first != second).any(dim=-1)[0].tolist() == [bool(ORDER[place] < ORDER[asked]) for asked in PLACES]


def test_a_place_of_the_first_turn_knows_its_position_alone() -> None:
    model = model_of(TwoStream(**SMALL))
    first = replace(EXAMPLE, places=np.array([1, 1, 1, 1]))
    logits = model.logits(Batch.of([first, replace(first, inputs=first.inputs[::-1].copy())]))
    assert logits.isfinite().all()
    assert torch.equal(logits[0], logits[1])

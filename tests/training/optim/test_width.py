"""Coordinate check: what the layers of a decoder give moves alike at every width, under each optimizer.

Where a model has more tokens than its embedding is wide, rows of the embedding are far from orthogonal, and logits move
about sqrt(1 + tokens / width) too far: so there are eight tokens here, and logits have more room at great widths.
"""

from functools import partial
from typing import Any

import pytest
import torch

from curation.core import catalog
from training.batch import Batch
from training.config.components import OPTIMIZER
from training.initialise import initialise
from training.models.decoder import Decoder
from training.optim.updates import update
from training.optim.width import ELEMENTWISE, ORTHOGONAL, RELATIVE
from training.roles import Purpose

BASE = 64
RATES = {
    "adafactor": 0.01,
    "adamw": 0.003,
    "lamb": 0.01,
    "lion": 0.001,
    "muon": 0.01,
    "sam": 0.003,
    "sophia": 0.003,
}
ROWS = torch.randint(8, (4, 4), generator=torch.Generator().manual_seed(0)).repeat(1, 9)[:, :33]
BATCH = Batch(inputs=ROWS[:, :-1], labels=ROWS[:, 1:], weights=torch.ones(4, 32), segments=None)


class Watched:
    """A decoder, and what its layers give for the batch."""

    def __init__(self, width: int, seed: int) -> None:
        self.model = Decoder(layers=2, width=width, heads=width // 32, base_width=BASE, initial_deviation=0.1).build(8)
        initialise(self.model, seed)
        self._seen: dict[str, torch.Tensor] = {}
        for name in ("attention", "feed_forward"):
            getattr(self.model.blocks[-1], name).register_forward_hook(partial(self._keep, name))

    def _keep(self, name: str, _: torch.nn.Module, __: object, out: torch.Tensor) -> None:
        self._seen[name] = out.detach()

    @torch.no_grad()
    def look(self) -> list[torch.Tensor]:
        logits = self.model.logits(BATCH)
        return [self._seen["attention"], self._seen["feed_forward"], logits]

    def differentiate(self) -> None:
        self.model.zero_grad()
        (self.model(BATCH).total / BATCH.labels.numel()).backward()


def moved(key: str, width: int, seeds: int) -> torch.Tensor:
    """float32[3]: root mean squares of how far three updates move the last block's attention, its feed-forward, and the
    logits."""
    squares = torch.zeros(3)
    made: Any = catalog.find(OPTIMIZER, key)
    config = made(learning_rate=RATES[key], weight_decay=0.0)
    for seed in range(seeds):
        watched = Watched(width, seed)
        optimizer = config.build(watched.model)
        before = watched.look()
        for _ in range(3):
            watched.differentiate()
            config.set_rate(optimizer, config.learning_rate)
            update(optimizer, torch.tensor(True), watched.differentiate if config.again else None)
        squares += torch.stack([(new - old).square().mean() for new, old in zip(watched.look(), before, strict=True)])
    return (squares / seeds).sqrt()


@pytest.mark.parametrize("key", catalog.known(OPTIMIZER))
def test_layers_move_alike_at_four_times_the_width(key: str) -> None:
    ratio = moved(key, 4 * BASE, 2) / moved(key, BASE, 2)
    assert (ratio - 1).abs().max() <= 0.15, ratio


@pytest.mark.soak
@pytest.mark.parametrize("key", catalog.known(OPTIMIZER))
def test_layers_move_alike_up_to_sixteen_times_the_width(key: str) -> None:
    base = moved(key, BASE, 3)
    for width in (128, 256, 512, 1024):
        ratio = moved(key, width, 3) / base
        assert ((ratio - 1).abs() <= torch.tensor([0.15, 0.15, 0.2])).all(), (width, ratio)


@pytest.mark.parametrize("key", catalog.known(OPTIMIZER))
def test_each_optimizer_states_its_rule(key: str) -> None:
    made: Any = catalog.find(OPTIMIZER, key)
    rule = made.width_rule
    assert rule in (ELEMENTWISE, RELATIVE, ORTHOGONAL)
    assert rule.keys() == set(Purpose)
    assert all(powers.rate + powers.decay == 0 for powers in rule.values())

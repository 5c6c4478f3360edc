"""The numbers of a run, and what stands where a config names no component."""

import pytest

from training.config.run import LOGISTICS, TrainConfig
from training.models.decoder import Decoder
from training.objectives.causal import Causal
from training.optim.adamw import Adamw
from training.optim.schedule.cosine import Cosine


def test_the_demonstration_size() -> None:
    config = TrainConfig()
    assert (config.objective, config.model) == (Causal(), Decoder())
    assert (config.optimizer, config.schedule) == (Adamw(), Cosine())
    assert config.sequence_length is None


@pytest.mark.parametrize("name", ["steps", "batch_rows", "sequence_length", "keep_checkpoints", "log_every"])
def test_counts_are_at_least_1(name: str) -> None:
    settings: dict[str, int] = {name: 0}
    with pytest.raises(ValueError, match=f"{name} is 0; give 1 or more"):
        TrainConfig(**settings)


def test_failures_and_seeds_may_be_0() -> None:
    TrainConfig(max_failures=0, seed=0)
    with pytest.raises(ValueError, match="seed is -1; give 0 or more"):
        TrainConfig(seed=-1)


def test_logistics_are_settings() -> None:
    assert vars(TrainConfig()).keys() >= LOGISTICS

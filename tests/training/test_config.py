"""Settings: what is refused and in which words, what YAML may write, and that a config survives JSON."""

import json
import math
import re
from dataclasses import asdict

import pytest

from curation.core.errors import RecipeError
from training.config import ModelConfig, TrainConfig, load, parse


@pytest.mark.parametrize(
    ("values", "message"),
    [
        pytest.param({"setps": 3}, "setps: unknown option 'setps'; did you mean 'steps'?", id="misspelt"),
        pytest.param({"model": {"witdh": 3}}, "model.witdh: unknown option", id="misspelt in a section"),
        pytest.param({"zzz": 1}, "known: batch_rows, checkpoint_every", id="nothing near"),
        pytest.param({"model": 3}, "model: expected `option: value` lines, got 3", id="section that is a number"),
        pytest.param({"steps": 2.5}, "steps: expected a whole number, got 2.5", id="half a step"),
        pytest.param({"steps": True}, "steps: expected a whole number, got true", id="true is no number"),
        pytest.param({"model": {"tied_embeddings": 1}}, "tied_embeddings: expected true or false", id="1 is not true"),
        pytest.param({"optimizer": {"learning_rate": "fast"}}, "expected a number, got 'fast'", id="text rate"),
        pytest.param({"steps": 0}, "steps is 0; give 1 or more", id="no step"),
        pytest.param({"model": {"kv_heads": 0}}, "model: kv_heads is 0; give 1 or more", id="no key head"),
        pytest.param({"optimizer": {"learning_rate": 0}}, "learning_rate is 0.0; give a number above 0", id="no rate"),
        pytest.param({"optimizer": {"learning_rate": math.inf}}, "learning_rate is inf; give a", id="endless rate"),
        pytest.param({"optimizer": {"weight_decay": math.nan}}, "weight_decay is nan; give 0 or more", id="no decay"),
        pytest.param({"optimizer": {"beta2": 1.0}}, "optimizer: beta2 is 1.0; give 0 to below 1", id="beta of 1"),
        pytest.param({"schedule": {"final_fraction": 1.1}}, "schedule: final_fraction is 1.1", id="rising end"),
        pytest.param({"model": {"width": 50, "heads": 4}}, "must give an even whole number", id="heads do not divide"),
        pytest.param({"model": {"width": 12, "heads": 4}}, "must give an even whole number", id="odd head width"),
        pytest.param({"model": {"heads": 6, "kv_heads": 4}}, "not a multiple of kv_heads 4", id="uneven groups"),
        pytest.param(
            {"steps": 5, "schedule": {"warmup_steps": 5}},
            "the run has only 5 steps; give fewer than 5",
            id="warm-up only",
        ),
        pytest.param({"optimizer": {"weight_decay": -0.1}}, "give 0 or more", id="negative decay"),
    ],
)
def test_refusal(values: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parse(values)


def test_limits_themselves_are_allowed() -> None:
    parse({"steps": 2, "schedule": {"warmup_steps": 1, "final_fraction": 1.0}, "optimizer": {"beta1": 0}})


def test_powers_of_ten_and_whole_numbers_are_numbers() -> None:
    config = load("optimizer: {learning_rate: 3e-4, weight_decay: 1}", "a.yaml")
    assert (config.optimizer.learning_rate, config.optimizer.weight_decay) == (3e-4, 1.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("seed: 1\nsteps: many", "a.yaml:2: steps: expected a whole number, got 'many'", id="type"),
        pytest.param("model:\n  layers: 2\n  width: 0", "a.yaml:3: model: width is 0; give 1 or more", id="range"),
        pytest.param("model:\n  layers: 2\n  witdh: 8", "a.yaml:3: model.witdh: unknown option", id="misspelt"),
        pytest.param("seed: 1\nsteps: 9\nsteps: 8", "a.yaml:3: 'steps' is given twice", id="twice"),
        pytest.param("seed: 1\nsteps: [", "a.yaml:2: not valid YAML", id="no YAML"),
    ],
)
def test_a_mistake_in_a_file_is_named_with_its_line(text: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        load(text, "a.yaml")
    assert str(caught.value).startswith(message)


def test_config_survives_json() -> None:
    config = parse({"model": {"layers": 3, "kv_heads": 2}, "sequence_length": 128})
    assert parse(json.loads(json.dumps(asdict(config)))) == config
    assert parse({}) == TrainConfig()


@pytest.mark.parametrize(
    ("width", "hidden"), [pytest.param(96, 256, id="exactly 256"), pytest.param(98, 320, id="261.3 rounded up to 64")]
)
def test_hidden_width_is_eight_thirds_of_the_width(width: int, hidden: int) -> None:
    assert ModelConfig(width=width, heads=1).hidden_width == hidden

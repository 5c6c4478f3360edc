"""Options that a command line gives: where they go, that their order is free, and how their mistakes are told."""

import re

import pytest

from curation.core.errors import RecipeError
from training.config.parse import load, parse
from training.config.run import BatchStage
from training.objectives.causal import Causal
from training.optim.adamw import Adamw

FILE = """steps: 50
objective: {causal: {z_loss: 0.5}}
optimizer:
  adamw: {learning_rate: 0.1, beta2: 0.9}
"""


def test_options_of_the_run_of_a_component_and_of_a_group() -> None:
    config = load(
        FILE, "a.yaml", ["steps=100", "optimizer.learning_rate=3e-4", "parallel.zero=2", "model.vocabulary=99"]
    )
    assert (config.steps, config.parallel.zero, config.parallel.replicate) == (100, 2, 1)
    assert config.optimizer == Adamw(learning_rate=3e-4, beta2=0.9)
    assert config.model == parse({"model": {"decoder": {"vocabulary": 99}}}).model
    assert config.objective == Causal(z_loss=0.5)


def test_the_key_of_a_component_may_be_written() -> None:
    assert load(FILE, "a.yaml", ["optimizer.adamw.beta2=0.5"]).optimizer == Adamw(learning_rate=0.1, beta2=0.5)


def test_a_component_comes_with_its_defaults_and_its_options_in_any_order() -> None:
    assert load(FILE, "a.yaml", ["objective=causal"]).objective == Causal()
    for overrides in (["optimizer=adamw", "optimizer.beta2=0.5"], ["optimizer.beta2=0.5", "optimizer=adamw"]):
        assert load(FILE, "a.yaml", overrides).optimizer == Adamw(beta2=0.5)
    given = ["optimizer={adamw: {beta1: 0.2}}", "optimizer.beta2=0.5"]
    assert load(FILE, "a.yaml", given).optimizer == Adamw(beta1=0.2, beta2=0.5)


def test_values_are_yaml() -> None:
    config = load(FILE, "a.yaml", ["batch_stages=[{steps: 3, rows: 2}]", "documents_apart=true", "micro_batch_rows="])
    assert config.batch_stages == (BatchStage(steps=3, rows=2),)
    assert (config.documents_apart, config.micro_batch_rows) == (True, None)


def test_a_mapping_takes_them_too_and_stays_as_it_is() -> None:
    values = {"optimizer": "adamw"}
    assert parse(values, overrides=["optimizer.beta2=0.5", "seed=3"]).optimizer == Adamw(beta2=0.5)
    assert values == {"optimizer": "adamw"}


@pytest.mark.parametrize(
    ("override", "message"),
    [
        pytest.param("steps", "'steps': expected NAME=VALUE, such as optimizer.learning_rate=3e-4", id="no value"),
        pytest.param("=3", "'=3': expected NAME=VALUE", id="no name"),
        pytest.param("optimizer.=3", "'optimizer.=3': expected NAME=VALUE", id="no option"),
        pytest.param("steps=[", "steps=[:1: not valid YAML", id="no YAML"),
        pytest.param("setps=3", "setps=3: unknown option 'setps'; did you mean 'steps'?", id="misspelt"),
        pytest.param(
            "optimiser.beta2=0.5",
            "optimiser.beta2=0.5: unknown option 'optimiser'; did you mean 'optimizer'?",
            id="misspelt component",
        ),
        pytest.param(
            "optimizer.learning_rat=1",
            "optimizer.learning_rat=1: unknown option 'learning_rat'; did you mean 'learning_rate'?",
            id="misspelt option of a component",
        ),
        pytest.param("parallel.zeero=1", "parallel.zeero=1: unknown option 'zeero'; did you mean 'zero'?", id="group"),
        pytest.param("steps.x=1", "steps.x=1: expected a whole number, got {'x': 1}", id="no group"),
        pytest.param(
            "objective=causl", "objective=causl: no objective named 'causl'; did you mean 'causal'?", id="key"
        ),
        pytest.param("objective=3", "objective=3: expected the key of one objective with its options", id="number"),
        pytest.param("optimizer.beta2=high", "optimizer.beta2=high: expected a number, got 'high'", id="type"),
        pytest.param("optimizer.beta2=1", "optimizer.beta2=1: beta2 is 1.0; give 0 to below 1", id="range"),
        pytest.param("seed=-1", "seed=-1: seed is -1; give 0 or more", id="range of the run"),
        pytest.param(
            "steps=5",
            "a.yaml:1: schedule.cosine: warmup_steps is 20 by default, but the run has only 5 steps",
            id="what does not fit the file",
        ),
    ],
)
def test_a_mistake_names_its_override(override: str, message: str) -> None:
    with pytest.raises(RecipeError, match=f"^{re.escape(message)}"):
        load(FILE, "a.yaml", [override])


def test_an_option_is_given_once() -> None:
    with pytest.raises(
        RecipeError, match=r"^optimizer\.adamw\.beta2=2: optimizer\.beta2=1 is given too; leave one out"
    ):
        load(FILE, "a.yaml", ["optimizer.beta2=1", "optimizer.adamw.beta2=2"])


def test_of_several_the_one_is_named_that_is_wrong() -> None:
    with pytest.raises(RecipeError, match=r"^optimizer\.beta2=2: beta2 is 2.0"):
        load(FILE, "a.yaml", ["optimizer.beta1=0.5", "optimizer.beta2=2", "optimizer=adamw"])


def test_a_mistake_of_the_file_keeps_its_line() -> None:
    with pytest.raises(RecipeError, match=r"^a\.yaml:2: sed: unknown option 'sed'.* \(with steps=9\)$"):
        load("steps: 50\nsed: 1", "a.yaml", ["steps=9"])

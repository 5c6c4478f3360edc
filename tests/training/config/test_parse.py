"""Settings: what is refused and in which words, what YAML may write, and that a config survives JSON."""

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

from curation.core.errors import RecipeError
from training.config.components import DEFAULTS
from training.config.parse import as_mapping, key_of, load, load_job, parse
from training.config.run import TrainConfig
from training.models.decoder import Decoder
from training.objectives.causal import Causal
from training.optim.adamw import Adamw
from training.optim.schedule.cosine import Cosine

SHIPPED = sorted((Path(__file__).resolve().parents[3] / "pipelines" / "train").glob("*.yaml"))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        pytest.param({"setps": 3}, "setps: unknown option 'setps'; did you mean 'steps'?", id="misspelt"),
        pytest.param(
            {"optimiser": {}}, "optimiser: unknown option 'optimiser'; did you mean 'optimizer'?", id="British"
        ),
        pytest.param(
            {"zzz": 1}, "known: batch_rows, batch_stages, carbon_intensity, checkpoint_every", id="nothing near"
        ),
        pytest.param({"steps": 2.5}, "steps: expected a whole number, got 2.5", id="half a step"),
        pytest.param({"steps": True}, "steps: expected a whole number, got true", id="true is no number"),
        pytest.param({"steps": 0}, "steps is 0; give 1 or more", id="no step"),
        pytest.param(
            {"model": 3},
            "model: expected the key of one model with its options below it: write `model: {decoder: {…}}`; keys: de",
            id="model that is a number",
        ),
        pytest.param({"model": None}, "write `model: {decoder: {…}}`; keys: decoder", id="model without a key"),
        pytest.param(
            {"optimizer": {"learning_rate": 3e-4, "beta2": 0.99}},
            "write `optimizer: {adamw: {learning_rate: …, beta2: …}}`; keys: adafactor, adamw, lamb",
            id="options without a key, as before components",
        ),
        pytest.param(
            {"optimizer": {"adamv": {}}}, "adamv: no optimizer named 'adamv'; did you mean 'adamw'?", id="key"
        ),
        pytest.param({"model": "decodr"}, "model.decodr: no model named 'decodr'; did you mean 'decoder'?", id="word"),
        pytest.param(
            {"schedule": {"cosine": {}, "linear": {}}}, "a training has one schedule, got cosine, linear", id="two"
        ),
        pytest.param(
            {"schedule": {"cosine": {"warmup_stesp": 3}}},
            "schedule.cosine.warmup_stesp: unknown option 'warmup_stesp'; did you mean 'warmup_steps'?",
            id="misspelt option",
        ),
        pytest.param({"model": {"decoder": 3}}, "model.decoder: expected `option: value` lines, got 3", id="options"),
        pytest.param(
            {"steps": 5, "schedule": {"cosine": {"warmup_steps": 5}}},
            "schedule.cosine: warmup_steps is 5, but the run has only 5 steps; give fewer than 5",
            id="warm-up only",
        ),
        pytest.param(
            {"steps": 5}, "warmup_steps is 20 by default, but the run has only 5 steps", id="the default's warm-up"
        ),
    ],
)
def test_refusal(values: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parse(values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        pytest.param({"tied_embeddings": 1}, "tied_embeddings: expected true or false", id="1 is not true"),
        pytest.param({"kv_heads": 0}, "model.decoder: kv_heads is 0; give 1 or more", id="no key head"),
        pytest.param({"vocabulary": 0}, "vocabulary is 0; give 1 or more", id="no token"),
        pytest.param({"width": 50, "heads": 4}, "must give an even whole number", id="heads do not divide"),
        pytest.param({"width": 12, "heads": 4}, "must give an even whole number", id="odd head width"),
        pytest.param({"heads": 6, "kv_heads": 4}, "not a multiple of kv_heads 4", id="uneven groups"),
    ],
)
def test_refusal_of_a_decoder(values: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parse({"model": {"decoder": values}})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        pytest.param({"learning_rate": "fast"}, "expected a number, got 'fast'", id="text rate"),
        pytest.param({"learning_rate": 0}, "learning_rate is 0.0; give a number above 0", id="no rate"),
        pytest.param({"learning_rate": math.inf}, "learning_rate is inf; give a", id="endless rate"),
        pytest.param({"max_gradient_norm": 0}, "max_gradient_norm is 0.0; give a", id="no gradient"),
        pytest.param({"epsilon": 0}, "epsilon is 0.0; give a", id="no epsilon"),
        pytest.param({"weight_decay": math.nan}, "weight_decay is nan; give 0 or more", id="no decay"),
        pytest.param({"weight_decay": -0.1}, "give 0 or more", id="negative decay"),
        pytest.param({"beta2": 1.0}, "optimizer.adamw: beta2 is 1.0; give 0 to below 1", id="beta of 1"),
    ],
)
def test_refusal_of_an_optimizer(values: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parse({"optimizer": {"adamw": values}})


def test_refusal_of_a_schedule() -> None:
    with pytest.raises(ValueError, match=r"schedule\.cosine: final_fraction is 1\.1; give 0 to 1"):
        parse({"schedule": {"cosine": {"final_fraction": 1.1}}})


def test_limits_themselves_are_allowed() -> None:
    schedule = {"cosine": {"warmup_steps": 1, "final_fraction": 1.0}}
    config = parse({"steps": 2, "schedule": schedule, "optimizer": {"adamw": {"beta1": 0}}})
    assert (config.steps, config.optimizer) == (2, Adamw(beta1=0))
    assert config.schedule == Cosine(warmup_steps=1, final_fraction=1.0)


def test_components_are_found_by_their_keys() -> None:
    config = parse(
        {
            "objective": "causal",
            "model": {"decoder": {"layers": 3}},
            "optimizer": {"adamw": None},
            "schedule": {"cosine": {}},
        }
    )
    assert config == TrainConfig(objective=Causal(), model=Decoder(layers=3), optimizer=Adamw(), schedule=Cosine())
    assert {verb.name: key_of(config, verb) for verb in DEFAULTS} == {verb.name: key for verb, key in DEFAULTS.items()}


def test_powers_of_ten_and_whole_numbers_are_numbers() -> None:
    config = load("optimizer: {adamw: {learning_rate: 3e-4, weight_decay: 1}}", "a.yaml")
    assert config.optimizer == Adamw(learning_rate=3e-4, weight_decay=1.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("seed: 1\nsteps: many", "a.yaml:2: steps: expected a whole number, got 'many'", id="type"),
        pytest.param(
            "model:\n  decoder:\n    layers: 2\n    width: 0",
            "a.yaml:4: model.decoder: width is 0; give 1 or more",
            id="range",
        ),
        pytest.param(
            "model:\n  decoder:\n    layers: 2\n    witdh: 8",
            "a.yaml:4: model.decoder.witdh: unknown opt",
            id="misspelt",
        ),
        pytest.param("seed: 1\noptimizer:\n  adamx: {}", "a.yaml:3: optimizer.adamx: no optimizer named", id="key"),
        pytest.param(
            "seed: 1\nmodel:\n  layers: 2\n  width: 8",
            "a.yaml:2: model: expected the key of one model with its options below it: write `model: {decoder: "
            "{layers: …, width: …}}`; keys: decoder",
            id="before components",
        ),
        pytest.param(
            "steps: 3\nschedule:\n  cosine:\n    warmup_steps: 3",
            "a.yaml:4: schedule.cosine: warmup_steps is 3, but the run has only 3 steps",
            id="together",
        ),
        pytest.param("seed: 1\nsteps: 9\nsteps: 8", "a.yaml:3: 'steps' is given twice", id="twice"),
        pytest.param("seed: 1\nsteps: [", "a.yaml:2: not valid YAML", id="no YAML"),
    ],
)
def test_a_mistake_in_a_file_is_named_with_its_line(text: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        load(text, "a.yaml")
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("data: a\noutput: b", "a.yaml:1: train must be given", id="no settings"),
        pytest.param("data: a\noutput: b\ntrain: 3", "a.yaml:3: train: expected `option: value` lines", id="number"),
        pytest.param("data: a\noutput: b\ntrain:\n  model: x", "a.yaml:4: train.model.x: no model", id="key"),
        pytest.param("data: a\noutputt: b\ntrain: {}", "a.yaml:2: outputt: unknown option 'outputt'", id="misspelt"),
    ],
)
def test_a_mistake_in_a_job_is_named_with_its_line(text: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        load_job(text, "a.yaml")
    assert str(caught.value).startswith(message)


def test_a_job_has_the_config_below_train() -> None:
    job = load_job("data: a\noutput: b\ntrain: {seed: 2, optimizer: {adamw: {learning_rate: 1}}}", "a.yaml")
    assert (job.data, job.output) == ("a", "b")
    assert job.train == parse({"seed": 2, "optimizer": {"adamw": {"learning_rate": 1.0}}})


def test_config_survives_json() -> None:
    config = parse({"model": {"decoder": {"layers": 3, "kv_heads": 2}}, "sequence_length": 128})
    written = as_mapping(config)
    assert (list(written["model"]), list(written["objective"])) == (["decoder"], ["causal"])
    assert parse(json.loads(json.dumps(written))) == config
    assert parse({}) == TrainConfig()


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_shipped_configs_can_be_read(file: Path) -> None:
    assert parse(as_mapping(load(file.read_text(), file.name))) == load(file.read_text(), file.name)


def test_a_config_is_read_without_torch() -> None:
    script = "import sys; from training.config.parse import parse; parse({}); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"

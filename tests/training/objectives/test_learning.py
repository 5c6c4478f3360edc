"""A tiny model learns every objective: its loss ends 5 % under the entropy of the labels alone, within a minute."""

import math
from pathlib import Path
from typing import Any

import pytest

from curation.core import catalog
from tests.training.runs import counting_documents, read_metrics, write_run
from training.batch import Kind
from training.config.components import OBJECTIVE
from training.config.parse import parse
from training.config.run import TrainConfig
from training.start import train

SIZES = {"layers": 2, "width": 32, "heads": 2, "head_width": 16, "hidden": 64}
MODELS: dict[Kind, dict[str, Any]] = {
    Kind.PLAIN: {"decoder": SIZES},
    Kind.PREFIXED: {"encoder": {**SIZES, "global_every": 1}},
    Kind.PAIR: {"encoder_decoder": SIZES},
    Kind.PERMUTED: {"two_stream": SIZES},
    Kind.REPLACED: {"electra": {**SIZES, "embedding_width": 16, "generator_divisor": 1}},
}
OPTIONS: dict[str, dict[str, Any]] = {  # where the default wants a tokenizer that shows sentences, or is refused
    "bart": {"permuted_sentences": False},
    "mixture": {"objectives": {"causal": {}, "fim": {}}},
}
OBJECTIVES = catalog.known(OBJECTIVE)


def learner(key: str, **settings: Any) -> TrainConfig:
    """A tiny model that takes the rows of an objective."""
    objective = {key: OPTIONS.get(key, {})}
    kind = parse({"objective": objective}).objective.kind
    model = {"decoder": SIZES} if key == "prefix_lm" else MODELS[kind]
    return parse({"objective": objective, "model": model, **settings})


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    documents = counting_documents(16_000, vocabulary=40)
    validation = counting_documents(60, seed=1, vocabulary=40)
    folder = tmp_path_factory.mktemp("run") / "run"
    return str(write_run(folder, documents, validation=validation, vocabulary=40, sequence_length=64))


@pytest.mark.parametrize("key", [pytest.param(key, marks=[pytest.mark.soak] * (key != "causal")) for key in OBJECTIVES])
def test_it_is_learnt(key: str, run: str, tmp_path: Path) -> None:
    config = learner(
        key,
        optimizer={"adamw": {"learning_rate": 1e-2}},
        schedule={"cosine": {"warmup_steps": 10}},
        steps=100 if key == "causal" else 300,
        batch_rows=4 if key == "causal" else 16,
        validation_rows=16,
        checkpoint_every=1000,
        validate_every=1000,
        log_every=50,
    )
    result = train(config, run, str(tmp_path))
    assert result["ratio"] < 0.95
    if key == "replaced_token":  # beside the entropy of which tokens are hidden, of whom some are not replaced
        records = [record for record in read_metrics(tmp_path / "metrics.jsonl") if record["kind"] == "step"]
        hidden = 0.15
        entropy = -hidden * math.log(hidden) - (1 - hidden) * math.log(1 - hidden)
        assert records[-1]["parts"]["detection"] / 50 < 0.95 * entropy

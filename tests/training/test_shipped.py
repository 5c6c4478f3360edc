"""Every shipped config: its full size is built, and in small it fits, stops and goes on as if it had not."""

from pathlib import Path
from typing import Any

import pytest
import torch

from tests.training.runs import counting_run, read_metrics
from training.config.components import MODEL
from training.config.parse import as_mapping, key_of, load, parse
from training.config.run import TrainConfig
from training.start import train

CONFIGS = sorted(Path(__file__).parents[2].joinpath("pipelines", "train").glob("*.yaml"))
PARAMETERS = {  # millions with a vocabulary of 50,368
    "bert_base": (140, 155),
    "demo": (0, 20),
    "electra_small": (12, 20),
    "gpt2_124m": (115, 130),
    "llama_1b": (1000, 1300),
    "t5_base": (220, 280),
}
TINY = {"layers": 2, "width": 32, "heads": 2, "head_width": 16, "hidden": 32}
FEWER = {"decoder": {"kv_heads": 1}, "electra": {"embedding_width": 16, "generator_divisor": 1}}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(counting_run(tmp_path_factory.mktemp("run") / "run"))


def shipped(path: Path) -> TrainConfig:
    return load(path.read_text(), path.name)


def small(config: TrainConfig) -> TrainConfig:
    """The same components with all options but sizes."""
    values = as_mapping(config)
    key = key_of(config, MODEL)
    values["model"][key] |= TINY | FEWER.get(key, {})
    (schedule,) = values["schedule"].values()
    schedule["warmup_steps"] = 2
    few = {"steps": 8, "batch_rows": 4, "micro_batch_rows": 2, "sequence_length": 16, "validation_rows": 4}
    every = {"checkpoint_every": 3, "validate_every": 4, "log_every": 1}
    return parse({**values, **few, **every, "compile": False})


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_its_full_size(path: Path) -> None:
    with torch.device("meta"):
        model = shipped(path).model.build(50_368)
    least, most = PARAMETERS[path.stem]
    assert least < sum(weight.numel() for weight in model.parameters()) / 1e6 < most
    assert model.roles().keys() == dict(model.named_parameters()).keys()


def losses(output: Path) -> list[tuple[int, float]]:
    records = read_metrics(output / "metrics.jsonl")
    return [(record["step"], record["loss"]) for record in records if record["kind"] == "step"]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_it_trains_and_goes_on_as_if_it_had_not_stopped(path: Path, run: str, tmp_path: Path) -> None:
    config = small(shipped(path))
    train(config, run, str(tmp_path / "whole"))

    def stop(record: dict[str, Any]) -> None:
        if (record["kind"], record["step"]) == ("step", 5):
            raise InterruptedError

    with pytest.raises(InterruptedError):
        train(config, run, str(tmp_path / "cut"), on_record=stop)
    train(config, run, str(tmp_path / "cut"))
    assert losses(tmp_path / "cut") == losses(tmp_path / "whole")
    assert len(losses(tmp_path / "whole")) == 8

"""Rungs are whole models on their own numbers of tokens, and cost what they may."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from curation.core.errors import InputError
from training.config.parse import as_mapping, load, parse
from training.config.run import TrainConfig
from training.plan.fit import Observation, fit_law
from training.plan.ladder import SizedTraining, ladder, sized
from training.plan.laws import BESIROGLU

TRAIN = Path(__file__).parents[3] / "pipelines" / "train"


def config(name: str = "llama_1b", *overrides: str) -> TrainConfig:
    return load((TRAIN / f"{name}.yaml").read_text(), name, ["model.vocabulary=32000", *overrides])


def planned(large: TrainConfig, *, rungs: int = 3, share: float = 0.1) -> Sequence[SizedTraining]:
    return ladder(large, rungs=rungs, tokens_per_parameter=20, share=share)


def test_what_a_config_has() -> None:
    one = sized(config("demo", "sequence_length=256", "batch_stages=[{steps: 20, rows: 2}]"))
    # Two blocks of 4 * 128^2 and 3 * 128 * 384, two norms each, the last norm and the embedding.
    assert one.parameters == 2 * (4 * 128**2 + 3 * 128 * 384 + 2 * 128) + 128 + 32_000 * 128
    assert one.tokens == (20 * 2 + 300 * 8) * 256


def test_rungs() -> None:
    large = config()
    rungs = planned(large, rungs=4)
    assert sum(rung.flops for rung in rungs) <= 0.1 * sized(large).flops
    models = [rung.config.model for rung in rungs]
    assert len(rungs) == 12
    assert len(set(models)) == 4
    for rung in rungs:
        model: object = rung.config.model
        assert getattr(model, "head_width") == 128  # noqa: B009
        assert rung.tokens == rung.config.steps * rung.config.batch_rows * 2048
        assert parse(as_mapping(rung.config)) == rung.config
    ratios = [rung.tokens / rung.parameters for rung in rungs]
    assert ratios == pytest.approx([5, 20, 80] * 4, rel=0.01)


def test_a_law_can_be_fitted_to_them() -> None:
    rungs = planned(config())
    runs = [Observation(rung.parameters, rung.tokens, BESIROGLU.loss(rung.parameters, rung.tokens)) for rung in rungs]
    large = sized(config())
    told = fit_law(runs, resamples=40).predict(large.parameters, large.tokens)
    assert told.loss == pytest.approx(BESIROGLU.loss(large.parameters, large.tokens), rel=0.002)


def test_batch_and_rate_go_with_the_operations() -> None:
    large = config()
    rung = planned(large)[0]
    smaller = rung.flops / sized(large).flops
    assert rung.config.optimizer.learning_rate == pytest.approx(4e-4 * smaller**-0.125, rel=0.01)
    assert rung.config.batch_rows == pytest.approx(1024 * smaller**0.3271, rel=0.42)
    scaled = planned(config("llama_1b", "model.base_width=256"))[0]
    assert scaled.config.optimizer.learning_rate == 4e-4


@pytest.mark.parametrize("name", ["gpt2_124m", "t5_base", "bert_base"])
def test_models_of_other_families(name: str) -> None:
    assert len(planned(config(name))) == 9


@pytest.mark.parametrize(
    ("large", "options", "message"),
    [
        (config("demo"), {}, "leaves sequence_length to the token data"),
        (config("llama_1b", "init=runs/other"), {}, "begins with runs/other"),
        (config("demo", "sequence_length=256", "model.heads=2"), {}, "2 heads do not give 3 models of fewer"),
        (config(), {"share": 1e-6}, "the smallest ladder of 3 models takes 0.00046 .* give --share 0.00047"),
        (config("electra_small"), {}, "a rung of 1 heads: generator_divisor 4 must divide"),
        (config("llama_1b", "steps=10_000_000_000"), {}, "times smaller than the training, and a law is carried 1,000"),
    ],
)
def test_what_gives_no_ladder(large: TrainConfig, options: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        planned(large, **options)  # type: ignore[arg-type]

"""Mixtures: how often each objective is taken, empty places by hand, configs, and what does not go together."""

import numpy as np
import pytest

from curation.core.errors import RecipeError
from tests.training.objectives.rows import PADDING, document, row_of
from training.batch import ExampleShape, Kind
from training.config.parse import as_mapping, parse
from training.objectives.bart import Bart
from training.objectives.causal import Causal
from training.objectives.fim import Fim
from training.objectives.masked import Masked
from training.objectives.mixture import Mixture
from training.objectives.prefix_lm import PrefixLm
from training.objectives.span_corruption import SpanCorruption

HALVES = Mixture(objectives={"masked": Masked(probability=0.5), "prefix_lm": PrefixLm()}, weights={"prefix_lm": 3})


def test_each_is_taken_by_its_weight() -> None:
    row = row_of(HALVES, document(1, 9, ended=False))
    rng = np.random.default_rng(0)
    masked = sum(row.ids.named["mask"] in HALVES.example(row, rng).inputs for _ in range(6000))
    share = 1 / 4 * (1 - 0.2**4)  # a row of four hidden tokens none of which becomes the mask is not counted
    assert abs(masked - 6000 * share) < 3 * (6000 * share * (1 - share)) ** 0.5


def test_places_are_empty_or_named_for_all() -> None:
    assert HALVES.kind is Kind.PREFIXED
    assert HALVES.shape(8) == ExampleShape(inputs=8, labels=8)
    row = row_of(HALVES, document(1, 9, ended=False))
    examples = [HALVES.example(row, np.random.default_rng(seed)) for seed in range(20)]
    masked = next(example for example in examples if example.weights.sum() == 4 and example.weights[:4].all())
    assert masked.labels[4:].tolist() == [PADDING] * 4
    assert masked.places is not None
    assert masked.places[4:].tolist() == [0] * 4
    prefix = next(example for example in examples if example.labels.tolist() == list(range(101, 109)))
    assert prefix.places is not None
    assert prefix.places.tolist() == list(range(8))
    assert prefix.seen is not None


def test_pairs_get_the_larger_sequence_of_each() -> None:
    pairs = Mixture(objectives={"span_corruption": SpanCorruption(), "bart": Bart()})
    # T5 reads 456 - 68 + 23 + 1 and writes 68 + 23 + 1; BART reads 456 - 137 + 46 and writes all.
    assert pairs.shape(456) == ExampleShape(inputs=412, labels=456, targets=456)
    row = row_of(pairs, document(1, 457))
    for seed in range(6):
        example = pairs.example(row, np.random.default_rng(seed))
        assert example.places is None
        assert example.targets is not None
        assert (len(example.inputs), len(example.labels), len(example.targets)) == (412, 456, 456)
    assert set(pairs.special(10)) == {"sentinel_0", "mask"}
    assert pairs.tables() == ("ends_sentence",)


def test_all_of_a_kind_without_places_stay_so() -> None:
    plain = Mixture(objectives={"causal": Causal(), "fim": Fim(rate=1)})
    row = row_of(plain, document(1, 9))
    assert {plain.example(row, np.random.default_rng(seed)).places for seed in range(9)} == {None}


def test_a_config() -> None:
    config = parse(
        {
            "objective": {
                "mixture": {
                    "objectives": {"masked": {"probability": 0.5}, "prefix_lm": None},
                    "weights": {"prefix_lm": 3},
                }
            }
        }
    )
    assert config.objective == HALVES
    assert parse(as_mapping(config)) == config


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(
            {"objectives": {"causal": {}, "masked": {}}}, "must be of one kind.*causal plain, masked pre", id="kinds"
        ),
        pytest.param({"objectives": {"causal": {}}, "weights": {"fim": 1}}, "weights has fim; give numbers", id="key"),
        pytest.param({"objectives": {"causal": {}}, "weights": {"causal": 0}}, "weights has causal; give", id="weight"),
        pytest.param(
            {"objectives": {"mixture": {}}}, "no mixture in it|objectives of the mixture", id="a mixture in it"
        ),
        pytest.param(
            {"objectives": {"causal": {"z_loss": 1}}}, "causal in a mixture: give label_smoothing", id="z-loss"
        ),
        pytest.param({"objectives": {"casual": {}}}, "objectives.casual: .*did you mean 'causal'", id="unknown"),
        pytest.param({"objectives": {"fim": {"rate": 2}}}, "objectives.fim: rate is 2", id="an option of one"),
        pytest.param({"objectives": ["causal"]}, "objectives: expected `key: {options}` lines", id="a list"),
    ],
)
def test_what_does_not_go_together(options: dict[str, object], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        parse({"objective": {"mixture": options}})


def test_a_mixture_of_nothing() -> None:
    with pytest.raises(ValueError, match="objectives of the mixture are missing"):
        Mixture().shape(8)

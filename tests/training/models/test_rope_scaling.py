"""Which options belong to a type of scaling, what they are if left out, and how a config reads them."""

from typing import Any

import pytest

from curation.core.errors import RecipeError
from training.config.parse import as_mapping, parse
from training.models.decoder import Decoder
from training.models.rope_scaling import RopeScaling


def test_options_that_are_left_out() -> None:
    yarn = RopeScaling(type="yarn", factor=4.0, original_length=8)
    assert (yarn.beta_fast, yarn.beta_slow, yarn.low_freq_factor) == (32.0, 1.0, None)
    assert yarn.attention_factor == pytest.approx(1.1386294361)
    llama3 = RopeScaling(type="llama3", factor=8.0, original_length=8)
    assert (llama3.low_freq_factor, llama3.high_freq_factor, llama3.attention_factor) == (1.0, 4.0, None)
    assert str(RopeScaling(type="linear", factor=8.0)) == "{type: linear, factor: 8.0}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"type": "linear", "factor": 0.5}, "factor is 0.5; give 1 or more", id="shorter rows"),
        pytest.param(
            {"type": "ntk", "factor": 2, "beta_fast": 9}, "beta_fast is no option of .* type ntk", id="other type"
        ),
        pytest.param({"type": "yarn", "factor": 2}, "original_length is needed for type yarn", id="length before"),
        pytest.param(
            {"type": "llama3", "factor": 2, "original_length": 8, "high_freq_factor": 1.0},
            "low_freq_factor is 1.0; give less than 1.0",
            id="no pairs between",
        ),
        pytest.param(
            {"type": "yarn", "factor": 2, "original_length": 8, "beta_slow": 0.0},
            "beta_slow is 0.0; give a number above 0",
            id="no turns",
        ),
    ],
)
def test_what_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RopeScaling(**options)


def test_a_config_names_it_below_the_model() -> None:
    given = {"type": "llama3", "factor": 8, "original_length": 8192}
    config = parse({"model": {"decoder": {"rope_scaling": given}}})
    assert isinstance(config.model, Decoder)
    assert config.model.rope_scaling == RopeScaling(type="llama3", factor=8.0, original_length=8192)
    assert parse(as_mapping(config)) == config
    with pytest.raises(RecipeError, match=r"model\.decoder\.rope_scaling\.low_frequency: unknown option"):
        parse({"model": {"decoder": {"rope_scaling": {**given, "low_frequency": 1}}}})

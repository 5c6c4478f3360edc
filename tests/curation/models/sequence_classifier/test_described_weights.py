"""A config may describe the weights that the files hold, and not many more."""

import pytest
import transformers

from curation.core.errors import InputError
from curation.models.sequence_classifier.described_weights import check_weights

FAMILY = transformers.AutoModelForSequenceClassification


def config(**sizes: int) -> transformers.BertConfig:
    return transformers.BertConfig(num_hidden_layers=1, num_attention_heads=2, vocab_size=1000, **sizes)


def test_as_many_weights_as_the_files_hold() -> None:
    check_weights(config(hidden_size=32, intermediate_size=64), FAMILY, 50_000)


def test_a_model_that_would_take_all_memory() -> None:
    """Seven matrices of 2^20 times 2^20 float32 would take 28 TiB."""
    with pytest.raises(
        InputError, match=r"describes a model of 7,\d{3},\d{3},\d{3},\d{3} weights, and its files hold 9"
    ):
        check_weights(config(hidden_size=1 << 20, intermediate_size=1 << 20), FAMILY, 9)

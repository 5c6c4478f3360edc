"""Counts the weights of the model that a config describes, before a library takes memory for them."""

from typing import Any

from curation.core.errors import InputError

MORE = 2  # times the weights that the files hold: some stand in a file once and in a model twice
_FEW = 1 << 20  # weights more that a model may have in any case


def check_weights(config: Any, family: Any, held: int) -> None:
    """Raises InputError if a config of `transformers` describes a model of `family`, such as one of its Auto classes,
    with far more weights than the `held` ones of its files."""
    import torch

    with torch.device("meta"):  # takes no memory
        model = family.from_config(config)
    described = sum(weight.numel() for weight in model.parameters())
    if described > MORE * held + _FEW:
        raise InputError(
            f"{config.name_or_path} describes a model of {described:,} weights, and its files hold {held:,}; copy the "
            "model again"
        )

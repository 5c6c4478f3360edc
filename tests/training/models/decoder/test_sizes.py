"""Sizes of a decoder that follow from others; which are refused is in tests/training/config/test_parse.py."""

import pytest

from training.models.decoder import Decoder


@pytest.mark.parametrize(
    ("width", "hidden"), [pytest.param(96, 256, id="exactly 256"), pytest.param(98, 320, id="261.3 rounded up to 64")]
)
def test_hidden_width_is_eight_thirds_of_the_width(width: int, hidden: int) -> None:
    assert Decoder(width=width, heads=1).hidden_width == hidden


def test_heads_share_keys_and_values_if_asked() -> None:
    assert (Decoder(width=96, heads=6).head_width, Decoder(heads=6).key_value_heads) == (16, 6)
    assert Decoder(heads=6, kv_heads=2).key_value_heads == 2

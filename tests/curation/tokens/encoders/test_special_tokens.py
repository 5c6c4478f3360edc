"""Special tokens have their ids in a fixed order and names of their own."""

import pytest

from curation.core.errors import RecipeError
from curation.tokens.encoders.special_tokens import special_names


def test_order() -> None:
    assert special_names(["<|mask|>"], 2, unknown=False) == [
        *("<|endoftext|>", "<|padding|>", "<|mask|>", "<|reserved_0|>", "<|reserved_1|>"),
    ]
    assert special_names([], 0, unknown=True) == ["<|endoftext|>", "<|padding|>", "<|unknown|>"]


@pytest.mark.parametrize(
    ("given", "reserved"),
    [
        pytest.param(["<|endoftext|>"], 0, id="end of text"),
        pytest.param(["<|mask|>", "<|mask|>"], 0, id="twice"),
        pytest.param(["<|reserved_0|>"], 1, id="reserved"),
        pytest.param([""], 0, id="empty"),
        pytest.param(["a"], 0, id="one character"),
    ],
)
def test_names_that_cannot_be(given: list[str], reserved: int) -> None:
    with pytest.raises(RecipeError, match="special tokens must be distinct and of two characters or more; <"):
        special_names(given, reserved, unknown=False)


def test_a_number_that_cannot_be() -> None:
    with pytest.raises(RecipeError, match="reserved_tokens is -1"):
        special_names([], -1, unknown=False)

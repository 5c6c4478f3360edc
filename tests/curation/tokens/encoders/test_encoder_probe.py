"""The sample has what encoders are likely to differ on."""

import unicodedata

import pytest

from curation.tokens.encoders.encoder_probe import sample

TEXTS = list(sample(["<|endoftext|>"]))
JOINED = "".join(TEXTS)


def test_there_is_an_empty_text() -> None:
    assert "" in TEXTS


@pytest.mark.parametrize(
    "kind",
    ["Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd", "Nl", "No", "Pd", "Po", "Sc", "Sk", "Sm", "So", "Zs", "Cc", "Cf"],
)
def test_characters_of_many_kinds(kind: str) -> None:
    assert sum(unicodedata.category(character) == kind for character in set(JOINED)) >= 2


@pytest.mark.parametrize("part", [" " * 260, "\n" * 65, "0" * 100, "'s ", "'LL", "\r\n", "\u3000" * 2, "😀", "a" * 129])
def test_runs_and_contractions(part: str) -> None:
    assert part in JOINED


def test_names_of_special_tokens_are_spelt_out() -> None:
    assert any(text.count("<|endoftext|>") == 3 for text in TEXTS)


def test_it_can_be_encoded() -> None:
    assert len(JOINED.encode()) < 500_000

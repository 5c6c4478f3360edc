"""What single characters become; `test_canonical_tokens` has whole texts."""

import unicodedata

import numpy as np
import pytest

from curation.text.kernels.canon import APART, SEVERAL, canon


def code_of(char: str) -> int:
    table = canon().table
    return int(table[int(table[ord(char) >> 8]) + (ord(char) & 255)])


@pytest.mark.parametrize(
    ("char", "code"),
    [
        pytest.param("A", ord("a"), id="a letter"),
        pytest.param("é", ord("e"), id="an accent goes"),
        pytest.param("\u0301", 0, id="as a mark too"),
        pytest.param("\u200d", 0, id="a joiner goes"),
        pytest.param("\ufe0f", 0, id="a variation selector goes"),
        pytest.param("\u094d", 0x94D, id="a virama stays"),
        pytest.param("—", APART, id="punctuation separates"),
        pytest.param("\u3000", APART, id="whitespace separates"),
        pytest.param("\ue000", 0xE000, id="a private character stands for itself"),
    ],
)
def test_code(char: str, code: int) -> None:
    assert code_of(char) == code


def test_several_codes() -> None:
    several = canon().several
    place = code_of("½") - SEVERAL
    assert several[place : place + 4].tolist() == [3, ord("1"), APART, ord("2")]


def test_no_character_that_folds_or_decomposes_stands_for_itself() -> None:
    table = canon().table
    codes = np.arange(0x40000)
    itself = np.flatnonzero(table[table[codes >> 8] + (codes & 255)] == codes)
    assert len(itself) > 200_000
    for char in map(chr, itself.tolist()):
        assert unicodedata.normalize("NFKD", char.casefold()) == char
        assert unicodedata.category(char)[0] not in "ZPS"

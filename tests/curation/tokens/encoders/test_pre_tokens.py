"""Pieces by hand: words, digits, own expressions; cuts within names; the alphabet at its share."""

from typing import Any

import pyarrow as pa
import pytest

from curation.core.errors import RecipeError
from curation.tokens.encoders.pre_tokens import GPT2, alphabet, guard, normalizer, outside, regular_expression, split


def cut(step: Any, text: str) -> list[str]:
    return [piece for piece, _ in step.pre_tokenize_str(text)]


@pytest.mark.parametrize(
    ("digits", "expected"),
    [
        ("none", ["it", "'s", " 12345", ".", "  ", " ok"]),
        ("each", ["it", "'s", " ", *"12345", ".", "  ", " ok"]),
        ("three", ["it", "'s", " ", "123", "45", ".", "  ", " ok"]),
    ],
)
def test_digits(digits: str, expected: list[str]) -> None:
    assert cut(split(regular_expression(GPT2, digits)), "it's 12345.   ok") == expected


def test_what_no_match_covers_is_a_piece() -> None:
    assert cut(split(regular_expression("[a-z]+", "none")), "ab12cd") == ["ab", "12", "cd"]


@pytest.mark.parametrize(
    ("pattern", "digits", "message"),
    [
        pytest.param("(", "none", r"'\(' is neither gpt2 nor a regular expression", id="no expression"),
        pytest.param("", "none", "pattern is empty", id="empty"),
        pytest.param(r"\S+|\s+", "each", "split_digits has an effect only with pattern: gpt2", id="digits"),
    ],
)
def test_expressions_that_cannot_be(pattern: str, digits: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        regular_expression(pattern, digits)


def test_names_are_cut_only_where_the_pattern_leaves_them_whole() -> None:
    assert guard(["<|mask|>"], regular_expression(GPT2, "none")) == []
    (step,) = guard(["<|mask|>", "<|end|>", "no way"], r"\S+|\s+")
    assert cut(step, "a<|mask|>no way <|mas <|end|>") == ["a", "<", "|mask|>no way <|mas ", "<", "|end|>"]


@pytest.mark.parametrize(
    ("form", "lowercase", "expected"),
    [("none", True, "é①"), ("nfc", False, "É①"), ("nfkc", True, "é1"), ("nfkd", True, "e\u03011")],
)
def test_normalization(form: str, lowercase: bool, expected: str) -> None:
    given = "É①" if form != "nfc" else "E\u0301①"
    assert normalizer(form, lowercase=lowercase).normalize_str(given) == expected


def test_no_normalization() -> None:
    assert normalizer("none", lowercase=False) is None


@pytest.mark.parametrize(
    ("coverage", "expected"),
    [
        pytest.param(0.6, ["a"], id="6 of 10"),
        pytest.param(0.61, ["a", "b"], id="one more"),
        pytest.param(0.9, ["a", "b", "é"], id="of two equally frequent ones the first"),
        pytest.param(1.0, ["a", "b", "é", "数"], id="all"),
    ],
)
def test_alphabet(coverage: float, expected: list[str]) -> None:
    texts = [pa.array(["aaa", None, "aa数"], pa.large_string()), pa.array(["é", "abb"], pa.large_string())]
    assert alphabet(texts, None, coverage) == expected


def test_alphabet_of_normalized_text() -> None:
    assert alphabet([pa.array(["Aa"])], normalizer("none", lowercase=True), 1.0) == ["a"]


def test_outside_of_an_alphabet() -> None:
    step = split(outside(["-", "]", "a", "b", "é"]), "removed")
    assert cut(step, "a-xx^]éb c") == ["a-", "]éb"]

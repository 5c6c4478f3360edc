"""Words before a value, by hand and against Presidio on long texts."""

import pytest

from curation.models.pii.context import _FARTHEST, ContextWords

pytest.importorskip("spacy")


def raised(before: str, *words: str, language: str = "en", after: str = "") -> bool:
    return ContextWords(f"{before}12345{after}".encode(), language).raises(len(before.encode()), words)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        pytest.param("card ", True, id="right before"),
        pytest.param("Mastercard: ", True, id="part of a word, after punctuation"),
        pytest.param("card one two three four ", True, id="five words before"),
        pytest.param("card one1 two2 three3 four4 five5 ", False, id="six words before"),
        pytest.param("card of the and to a in it is on ", True, id="stop words do not count"),
        pytest.param("card " + "the " * 500, True, id="far, through stop words"),
        pytest.param("card" + " " * 3000, True, id="whitespace is one word"),
        pytest.param("", False, id="nothing before"),
        pytest.param("card " + "word " * 300, False, id="long before"),
    ],
)
def test_raised(before: str, expected: bool) -> None:
    assert raised(before, "card") is expected


def test_the_values_own_token_counts() -> None:
    assert raised("x-card", "card")


def test_a_stop_word_counts_where_a_token_with_a_colon_has_it() -> None:
    before = "card " + "the " * 6
    assert raised(before, "card")
    assert not raised(before, "card", after=" and the:12")


def test_words_after_the_value_do_not_count() -> None:
    assert not raised("a ", "card", after=" card")


@pytest.mark.parametrize("language", ["zh", "ja", "ko", "th", "xx", "no such"])
def test_languages_without_a_rule_based_tokenizer(language: str) -> None:
    assert raised("card ", "card", language=language)


def test_a_text_of_nothing_but_values_is_not_read_over_and_over() -> None:
    values = 12_000
    context = ContextWords(b"::1 " * values, "en")
    assert not any(context.raises(4 * place, ("address",)) for place in range(values))
    assert -_FARTHEST < context.unread <= 0  # to the beginning before each would be 2 ** 28 bytes and more

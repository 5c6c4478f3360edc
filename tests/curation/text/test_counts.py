"""Counts of words against plain Python."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.counts import STOP_WORDS, count_words
from curation.text.kernels.unicode import SYMBOL, class_of, classes
from tests.curation.text.texts import as_text, batches, garbage, long_batches, sliced

cased = st.lists(
    st.lists(st.sampled_from(["the", "The", "THE", "thé", "tHe.", "of", "oF", "with", "1", "…", "\0the", "中"])).map(
        " ".join
    ),
    max_size=4,
)


def is_listed(word: str, any_case: bool) -> bytes | None:
    content = word.encode().lower() if any_case else word.encode()  # of bytes: only ASCII letters
    return content if content.decode() in STOP_WORDS else None


def is_symbol(char: str) -> bool:
    return bool(class_of(classes(), ord(char)) & SYMBOL)


@given(st.one_of(batches, long_batches, cased), st.booleans())
def test_counts(values: list[str | None], any_case: bool) -> None:
    counts = count_words(sliced(values), any_case=any_case)
    texts = [(value or "").split() for value in values]
    assert counts.words.tolist() == [len(words) for words in texts]
    assert counts.characters.tolist() == [sum(map(len, words)) for words in texts]
    assert counts.alphabetic.tolist() == [sum(any(map(str.isalpha, word)) for word in words) for words in texts]
    plain = [[word for word in words if not all(map(is_symbol, word))] for words in texts]
    assert counts.plain.tolist() == [len(words) for words in plain]
    assert counts.plain_characters.tolist() == [sum(map(len, words)) for words in plain]
    listed = [[found for word in words if (found := is_listed(word, any_case))] for words in texts]
    assert counts.listed.tolist() == [len(found) for found in listed]
    assert counts.distinct.tolist() == [len(set(found)) for found in listed]


def test_plain_words_hold_more_than_symbols() -> None:
    counts = count_words(pa.array(["-- 1. «é» ... (a) $ …", "»»"]))
    assert counts.plain.tolist() == [3, 0]
    assert counts.plain_characters.tolist() == [8, 0]


def test_a_word_with_nul_bytes_is_no_listed_one() -> None:
    assert count_words(pa.array(["the\0 x", "\0 \0 \0 the"]), any_case=False).listed.tolist() == [0, 1]
    assert count_words(pa.array(["the\0 x", "\0 \0 \0 the"])).listed.tolist() == [0, 1]


def test_a_listed_word_matches_whole_words_only() -> None:
    words = pa.array(["the THE tHe", "then the, of-the", "OF the", "the"])
    assert count_words(words, listed=("the", "of")).distinct.tolist() == [1, 0, 2, 1]
    assert count_words(words, listed=("the", "of")).listed.tolist() == [3, 0, 2, 1]
    assert count_words(words, listed=("the", "of"), any_case=False).listed.tolist() == [1, 0, 1, 1]


def test_64_words_can_be_listed() -> None:
    listed = tuple("w" + "abcdefgh"[n // 8] + "abcdefgh"[n % 8] for n in range(64))
    counts = count_words(pa.array([" ".join(listed) + " w wa waaa", "waa"]), listed=listed)
    assert counts.distinct.tolist() == [64, 1]


def test_eight_letters_can_be_listed() -> None:
    counts = count_words(pa.array(["abcdefgh ABCDEFGH abcdefghi bcdefgh"]), listed=("abcdefgh",))
    assert counts.listed.tolist() == [2]


@pytest.mark.parametrize(
    "listed",
    [("The",), tuple("a" + chr(97 + n % 26) + chr(97 + n // 26) for n in range(65)), ("abcdefghi",), ("",), ("é",)],
    ids=["upper case", "65 words", "9 letters", "empty", "not ASCII"],
)
def test_a_list_that_cannot_work_is_refused(listed: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="expected"):
        count_words(pa.array(["a"]), listed=listed)


@given(garbage)
def test_bytes_that_are_no_text_do_no_harm(contents: list[bytes]) -> None:
    counts = count_words(as_text(contents))
    assert (counts.alphabetic <= counts.words).all()
    assert len(counts.words) == len(contents)

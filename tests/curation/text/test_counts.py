"""Counts of words against plain Python."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from curation.text.counts import STOP_WORDS, count_words
from curation.text.kernels.unicode import SYMBOL, class_of, classes
from tests.curation.text.texts import batches, long_batches, sliced, words_of

cased = st.lists(
    st.lists(st.sampled_from(["the", "The", "THE", "thé", "tHe.", "of", "oF", "with", "1", "…", "\0the", "中"])).map(
        " ".join
    ),
    max_size=4,
)


def stop_word(word: str, any_case: bool) -> bytes | None:
    content = word.encode().lower() if any_case else word.encode()  # of bytes: only ASCII letters
    return content if content.decode() in STOP_WORDS else None


def is_symbol(char: str) -> bool:
    return bool(class_of(classes(), ord(char)) & SYMBOL)


@given(st.one_of(batches, long_batches, cased), st.booleans())
def test_counts(values: list[str | None], any_case: bool) -> None:
    counts = count_words(sliced(values), any_case=any_case)
    texts = [words_of(value) for value in values]
    assert counts.words.tolist() == [len(words) for words in texts]
    assert counts.characters.tolist() == [sum(map(len, words)) for words in texts]
    assert counts.alphabetic.tolist() == [sum(any(map(str.isalpha, word)) for word in words) for words in texts]
    plain = [[word for word in words if not all(map(is_symbol, word))] for words in texts]
    assert counts.plain.tolist() == [len(words) for words in plain]
    assert counts.plain_characters.tolist() == [sum(map(len, words)) for words in plain]
    stop_words = [[stop for word in words if (stop := stop_word(word, any_case))] for words in texts]
    assert counts.stop_words.tolist() == [len(stops) for stops in stop_words]
    assert counts.distinct.tolist() == [len(set(stops)) for stops in stop_words]


def test_a_word_with_nul_bytes_is_no_stop_word() -> None:
    assert count_words(pa.array(["the\0 x", "\0 \0 \0 the"]), any_case=False).stop_words.tolist() == [0, 1]
    assert count_words(pa.array(["the\0 x", "\0 \0 \0 the"])).stop_words.tolist() == [0, 1]

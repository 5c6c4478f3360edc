"""Words for counting, against a slow reading: the same words in the same order, equal hashes for equal ones only."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

from curation.text.folded_words import folding, next_words
from curation.text.kernels.buffers import text_buffers
from tests.curation.text.slow_words import folded_words
from tests.curation.text.texts import texts


def hashes(array: pa.Array, row: int = 0, room: int = 64) -> list[int]:
    """Those of all words of one text, found `room` at a time."""
    data, offsets = text_buffers(array)
    at = int(offsets[row])
    stop = int(offsets[row + 1])
    found = []
    words = np.zeros(room, np.uint64)
    while at < stop:
        count, after = next_words(data, at, stop, *folding(), words)
        assert at < after <= stop
        at = int(after)
        found += words[:count].tolist()
    return found


def numbers(values: list[int] | list[str]) -> list[int]:
    """Each value as the place of its first occurrence."""
    return [values.index(value) for value in values]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "same"),
    [
        pytest.param("The CAT, the “cat”!", "the cat the cat", id="case and punctuation"),
        pytest.param("in 1914-1918 and 07", "in 0000 0000 and 00", id="numbers by their length"),
        pytest.param("don't e-mail a_b", "don t e mail a b", id="signs within words"),
        pytest.param("中文abc字", "中 文 abc 字", id="Han characters"),
        pytest.param("ไทย ка", "ไ ท ย ка", id="Thai"),
        pytest.param("ÉCOLE été Straße", "école été straße", id="letters that are not ASCII"),
        pytest.param("क्षेत्र।नदी", "क्षेत्र नदी", id="vowel signs stay, the danda does not"),
    ],
)
def test_what_counts_as_the_same_words(text: str, same: str) -> None:
    assert hashes(pa.array([text])) == hashes(pa.array([same]))
    assert len(hashes(pa.array([text]))) == len(same.split())


@given(texts)
def test_words_are_those_of_the_slow_reading(text: str) -> None:
    words = folded_words(text)
    found = hashes(pa.array(["x", text, "y"], pa.large_string()), row=1)
    assert len(found) == len(words)
    assert numbers(found) == numbers(words)
    assert 0 not in found


@given(texts)
def test_how_many_are_found_at_a_time_does_not_matter(text: str) -> None:
    array = pa.array([text], pa.large_string())
    assert hashes(array, room=1) == hashes(array, room=3) == hashes(array)


def test_the_hash_of_a_word_is_part_of_a_file_format() -> None:
    assert hashes(pa.array(["The é 中"])) == [slow_hash(word) for word in ("the", "é", "中")]


def slow_hash(word: str) -> int:
    value = 0x9E3779B97F4A7C15
    for char in word:
        value = (value ^ ord(char)) * 0xD1342543DE82EF95 % 2**64
        value ^= value >> 29
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = (value ^ value >> 33) * factor % 2**64
    return value ^ value >> 33

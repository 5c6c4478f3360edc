import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.text.shingles import ROUND, shingle_hashes, shingle_sets
from tests.curation.text.texts import sliced

ALONE = ((0x0E00, 0x0F00), (0x1000, 0x10A0), (0x1780, 0x1800), (0x3041, 0x3100), (0x4E00, 0xA000), (0x3005, 0x3008))
LETTERS = "aAkz\u212aZ09.,'\0\x7f éÉÀßẞſKıİΣς\u0301\n\t\xa0\u2028\u3000\xadДжЖ中文かなไท😀👨\ufffd\U00010400\U00020000"


def words(text: str) -> list[str]:
    """The slow, obvious reading of what a word is."""
    found = []
    for run in text.replace("\u00ad", "").split():
        word = ""
        for char in run:
            if any(first <= ord(char) < stop for first, stop in ALONE) or ord(char) == 0x20000:
                found += [word, char]
                word = ""
            else:
                word += char.lower()[0]
        found.append(word)
    return [word for word in found if word]


def shingles(text: str, size: int) -> list[tuple[str, ...]]:
    found = words(text)
    many = [tuple(found[k : k + size]) for k in range(len(found) - size + 1)]
    return many if many or not found else [tuple(found)]


def hashes(text: str, size: int) -> list[int]:
    found, ends = shingle_hashes(pa.array([text], pa.large_string()), size)
    assert ends.tolist() == [0, len(found)]
    return [int(one) for one in found]


@given(st.lists(st.text(st.sampled_from(LETTERS), max_size=120), max_size=8), st.integers(1, 7))
@settings(max_examples=300, deadline=None)
def test_hashes_are_equal_exactly_where_shingles_are(texts: list[str], size: int) -> None:
    found, ends = shingle_hashes(sliced([*texts]), size)
    by_shingle: dict[tuple[str, ...], int] = {}
    for text, start, stop in zip(texts, ends[:-1], ends[1:], strict=True):
        expected = shingles(text, size)
        assert stop - start == len(expected)
        for shingle, value in zip(expected, found[start:stop].tolist(), strict=True):
            assert by_shingle.setdefault(shingle, value) == value
    assert len(set(by_shingle.values())) == len(by_shingle)


@given(st.lists(st.text(max_size=60), max_size=6))
@settings(max_examples=100, deadline=None)
def test_sets_are_the_different_hashes_ascending(texts: list[str]) -> None:
    sets = shingle_sets(pa.array(texts, pa.large_string()), 2).to_pylist()
    assert sets == [sorted(set(hashes(text, 2))) for text in texts]


@pytest.mark.parametrize("count", [ROUND - 1, ROUND, ROUND + 1, ROUND + 3, 2 * ROUND, 3 * ROUND + 7])
def test_shingles_across_rounds(count: int) -> None:
    text = " ".join(f"w{k}" for k in range(count))
    found = hashes(text, 5)
    assert len(set(found)) == len(found) == count - 4
    assert found[-1] == hashes(" ".join(text.split()[-5:]), 5)[0]


def test_shingles_longer_than_a_round() -> None:
    text = " ".join(f"w{k}" for k in range(3 * ROUND))
    assert len(hashes(text, 2 * ROUND)) == ROUND + 1
    assert len(hashes(text, 4 * ROUND)) == 1


def test_a_text_without_words_has_none() -> None:
    found, ends = shingle_hashes(pa.array(["", " \n\u3000", None, "x"], pa.large_string()), 5)
    assert ends.tolist() == [0, 0, 0, 0, 1]
    assert len(found) == 1


def test_bytes_that_are_no_utf8_are_words_of_their_own() -> None:
    texts = pa.array([b"\xff\xfe ab\xc3", b"\xff\xfd ab\xc3", b"\xff\xfe AB\xc3"], pa.large_binary())
    first, second, third = (sorted(one) for one in shingle_sets(texts, 1).to_pylist())
    assert first == third
    assert len(first) == 2
    assert first != second

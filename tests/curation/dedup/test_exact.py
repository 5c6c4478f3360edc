"""Exact dedup: what collides, what does not, and what has no key."""

import pytest

from curation.core.dedup_methods import DedupMethod
from curation.dedup.exact import Exact
from tests.support import documents


def key(text: str) -> tuple[int, int]:
    keys = Exact().keys(documents(text))
    assert keys.row.tolist() == [0]
    return int(keys.hi[0]), int(keys.lo[0])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param("A  text\nof TWO lines ", "a text of two lines", True, id="case and whitespace"),
        pytest.param("ΑΒΓ", "αβγ", True, id="case in Greek"),
        pytest.param("a\u2003b\u3000c", "a b c", True, id="whitespace outside ASCII"),
        pytest.param("a text", "a\u200b te\u00adxt\u2060\ufe0f", True, id="invisible characters"),
        pytest.param("a text", "a text\u2800", True, id="the empty cell of Braille"),
        pytest.param("می\u200cخواهم", "میخواهم", False, id="a non-joiner with a meaning"),
        pytest.param("a text", "a text.", False, id="punctuation"),
        pytest.param("page 1", "page 2", False, id="digits"),
        pytest.param("a b", "ab", False, id="no whitespace against some"),
        pytest.param("é", "e\u0301", False, id="composed against decomposed"),
    ],
)
def test_duplicates(one: str, other: str, same: bool) -> None:
    assert (key(one) == key(other)) is same


def test_the_key_of_a_known_text() -> None:
    assert key(" Hello\n") == (0xCBD8A7B341BD9B02, 0x5B1E906A48AE1D19)  # MurmurHash3 x64 128 of "hello"


def test_an_empty_document_has_no_key() -> None:
    keys = Exact().keys(documents("one", None, "", " \n\u2028\u200b", "two", "ONE\u200e"))
    assert keys.row.tolist() == [0, 4, 5]
    assert keys.hi[0] == keys.hi[2]
    assert keys.lo[0] == keys.lo[2]
    assert keys.hi[0] != keys.hi[1]


def test_no_documents() -> None:
    assert Exact().keys(documents()).row.tolist() == []


def test_it_is_a_dedup_method() -> None:
    assert isinstance(Exact(), DedupMethod)

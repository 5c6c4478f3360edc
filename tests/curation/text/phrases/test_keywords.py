"""Keywords found in any case, and windows around them."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.phrases.keywords import Reach, find_keywords, keyword_table, windows

NONE = np.zeros(256, np.uint8)
NONE.flags.writeable = False
DIGITS = np.isin(np.arange(256), list(b"0123456789")).astype(np.uint8)
DIGITS.flags.writeable = False
WORDS = ("key", "keyboard", "sk", "a", "-----begin", "é!")


def lower(text: str) -> str:
    """Only ASCII letters have a case."""
    return "".join(char.lower() if char.isascii() else char for char in text)


def hits(texts: list[str | None], words: tuple[str, ...] = WORDS) -> set[tuple[int, str, int]]:
    """Document, word and byte."""
    array = pa.array(texts, pa.large_string())
    found = find_keywords(array, keyword_table(words))
    begins = np.cumsum([0, *(len((text or "").encode()) for text in texts)])
    return {(d, words[k], s - int(begins[d])) for d, k, s in zip(*(v.tolist() for v in found), strict=True)}


def test_by_hand() -> None:
    assert hits(["a KeyBoard", None, "-----BEGIN", "é!", "s", "k"]) == {
        *((0, "a", 0), (0, "key", 2), (0, "keyboard", 2), (0, "a", 7)),
        *((2, "-----begin", 0), (3, "é!", 0)),
    }


@given(st.lists(st.text(st.sampled_from("aAeEkKsSyYé!bord-"), max_size=20), min_size=1, max_size=4))
def test_every_place(texts: list[str]) -> None:
    expected = {
        (number, word, len(text[:at].encode()))
        for number, text in enumerate(texts)
        for word in WORDS
        for at in range(len(text))
        if lower(text[at:]).startswith(word)
    }
    assert hits(list(texts)) == expected


def test_many_hits_find_room() -> None:
    assert len(hits(["a" * 20_000])) == 20_000


def test_no_keywords() -> None:
    assert hits(["a key"], ()) == set()


def around(text: str, **reach: object) -> list[str]:
    values = {"before": 0, "after": 3, "free": NONE, "run": 2, "followed_by": NONE, "following": 0, **reach}
    array = pa.array(["", text], pa.large_string())
    table = keyword_table(("key",))
    found = windows(array, table, find_keywords(array, table), Reach(**values))  # type: ignore[arg-type]
    assert set(found[:, 0].tolist()) <= {1}
    return [text.encode()[start:stop].decode() for _, start, stop in found.tolist()]


@pytest.mark.parametrize(
    ("text", "reach", "expected"),
    [
        pytest.param("my key is", {"before": 1, "after": 4}, [" key "], id="characters before and from the word on"),
        pytest.param("key", {"before": 9, "after": 9}, ["key"], id="not beyond the text"),
        pytest.param("éékeyéé", {"before": 1, "after": 4}, ["ékeyé"], id="characters of two bytes"),
        pytest.param("key key", {"after": 4}, ["key key"], id="windows that touch are one"),
        pytest.param("key. key", {"after": 4}, ["key.", "key"], id="windows apart are two"),
        pytest.param("key1234 x", {"after": 6, "free": DIGITS}, ["key1234 "], id="two digits count, the others do not"),
        pytest.param("98 1234key", {"before": 3, "free": DIGITS}, [" 1234key"], id="and so backwards"),
        pytest.param("key12 key1", {"followed_by": DIGITS, "following": 2}, ["key"], id="what must follow"),
        pytest.param("key1", {"followed_by": DIGITS, "following": 2}, [], id="the text ends before that"),
    ],
)
def test_windows(text: str, reach: dict[str, object], expected: list[str]) -> None:
    assert around(text, **reach) == expected

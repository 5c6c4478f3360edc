"""Words and parts of words in URLs: counted once each, found across punctuation only as parts."""

import pyarrow as pa
import pytest

from curation.text.phrases.string_set import entries
from curation.text.urls.parse import parse_urls
from curation.text.urls.words import split_words, subwords_of, words_of

LONG = "extraordinarily" * 3
WORDS = ["red", "blue", "été", "9a", LONG]


@pytest.mark.parametrize(
    ("url", "different", "first"),
    [
        pytest.param("//red.com/blue", 2, "red", id="in host and path"),
        pytest.param("//x.com/RED-red_Red", 1, "red", id="one word three times, in any case"),
        pytest.param("//x.com/reddish", 0, None, id="part of a word"),
        pytest.param("//x.com/r-e-d", 0, None, id="in pieces"),
        pytest.param("//x.com/?a=blue&red#9a", 3, "blue", id="in query and fragment"),
        pytest.param("//x.com/%72ed", 1, "red", id="escaped"),
        pytest.param("//x.com/a%2Fred%26blue", 2, "red", id="escapes part words"),
        pytest.param("//x.com/%C3%A9t%C3%A9", 1, "été", id="beyond ASCII"),
        pytest.param(f"//x.com/{LONG}", 1, LONG, id="long"),
        pytest.param(f"//x.com/{LONG}s", 0, None, id="longer"),
        pytest.param("red://x.com/", 0, None, id="the scheme is no part"),
        pytest.param("//red@x.com/", 0, None, id="nor is the user"),
        pytest.param("", 0, None, id="no URL"),
    ],
)
def test_words(url: str, different: int, first: str | None) -> None:
    found = words_of(split_words(parse_urls(pa.array([url]))), entries(WORDS))
    assert found.different[0] == different
    assert (WORDS[found.first[0]] if found.first[0] >= 0 else None) == first


PARTS = ["abc", "bcd", "ab", "longerone"]


@pytest.mark.parametrize(
    ("url", "different", "first"),
    [
        pytest.param("//xabcx.com/", 1, "abc", id="inside a word"),
        pytest.param("//x.com/A-b_C", 1, "abc", id="across punctuation, in any case"),
        pytest.param("//x.ab/c", 1, "abc", id="across host and path"),
        pytest.param("//x.com/abcd/abcd", 2, "abc", id="two that overlap, twice"),
        pytest.param("//x.com/longeron", 0, None, id="one letter short"),
        pytest.param("//x.com/longerone", 1, "longerone", id="at the end"),
        pytest.param("//x.com/ab", 0, None, id="two letters are too few"),
        pytest.param("//a%62c.com/%2Fx", 1, "abc", id="escaped"),
        pytest.param("//x.com/ab%2Fc", 1, "abc", id="across an escape"),
        pytest.param("", 0, None, id="no URL"),
    ],
)
def test_subwords(url: str, different: int, first: str | None) -> None:
    found = subwords_of(split_words(parse_urls(pa.array([url]))), entries(PARTS))
    assert found.different[0] == different
    assert (PARTS[found.first[0]] if found.first[0] >= 0 else None) == first

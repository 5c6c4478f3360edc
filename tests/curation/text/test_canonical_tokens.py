"""Tokens whatever the typography, against Python's unicodedata, and where they stand."""

import unicodedata

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.canonical_tokens import folded_texts, tokens_of


def form(text: str) -> str:
    return folded_texts(pa.array([text]))[0].decode().strip()


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        pytest.param("Hello, World!", "hello world", id="case and punctuation"),
        pytest.param("don’t DON'T", "don t don t", id="smart quotes"),
        pytest.param("cafe\u0301 caf\u00e9", "cafe cafe", id="accents, NFD and NFC"),
        pytest.param("ﬁne ﬂag", "fine flag", id="ligatures"),
        pytest.param("ｆｕｌｌ　ｗｉｄｔｈ", "full width", id="full width"),
        pytest.param("zero\u200bwidth soft\u00adhyphen \ufeffbom", "zerowidth softhyphen bom", id="what does not show"),
        pytest.param("a\u00a0b\u2003c\td\n\ne", "a b c d e", id="white space"),
        pytest.param("x² ½ №5", "x2 1 2 no5", id="compatibility characters"),
        pytest.param("STRASSE Straße İ", "strasse strasse i", id="full case folding"),
        pytest.param("中文abc字", "中 文 abc 字", id="scripts without spaces"),
        pytest.param("हिन्दी", unicodedata.normalize("NFD", "हिन्दी"), id="vowel signs and viramas stay"),
        pytest.param("16 - 3 = <<13>>", "16 3 13", id="symbols"),
        pytest.param("\x00\x1f ", "", id="control characters"),
        pytest.param("", "", id="empty"),
    ],
)
def test_form(text: str, canonical: str) -> None:
    assert form(text) == canonical


@given(st.text(max_size=80))
def test_unicode_forms_and_case_make_no_difference(text: str) -> None:
    for other in ("NFC", "NFD"):
        assert form(unicodedata.normalize(other, text)) == form(text)
    assert form(form(text)) == form(text)


@given(st.lists(st.text(max_size=60), max_size=4))
def test_hashes_are_those_of_the_tokens_alone_and_stand_where_they_are(texts: list[str]) -> None:
    tokens = tokens_of(pa.array(texts, pa.large_string()))
    for row, text in enumerate(texts):
        own = slice(tokens.first[row], tokens.first[row + 1])
        words = form(text).split(" ") if form(text) else []
        alone = [tokens_of(pa.array([word])).hashes[0] for word in words]
        assert tokens.hashes[own].tolist() == alone
        for word, start, stop in zip(words, tokens.starts[own], tokens.stops[own], strict=True):
            assert word in form(text.encode()[start:stop].decode())


def test_a_text_longer_than_a_round_and_a_long_token() -> None:
    assert len(tokens_of(pa.array(["ab " * 5000])).hashes) == 5000
    assert len(tokens_of(pa.array(["中a" * 5000])).hashes) == 10_000
    assert len(tokens_of(pa.array(["9" * 1_000_000])).hashes) == 1


def test_invalid_utf8_is_read() -> None:
    assert folded_texts(pa.array([b"a \xff\xc3 b"], pa.large_binary()))[0].startswith(b"a ")

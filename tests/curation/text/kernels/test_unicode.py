"""Characters: each table against `unicodedata`, decoding against Python's own."""

import sys
import unicodedata

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from curation.text.kernels import unicode
from tests.curation.text.texts import texts

EVERY = [chr(code) for code in range(sys.maxunicode + 1)]


def characters_with(flag: int) -> set[str]:
    table = unicode.classes()
    codes = np.arange(sys.maxunicode + 1)
    return set(np.array(EVERY)[table[table[codes >> 8].astype(np.int64) + (codes & 255)] & flag != 0])


def of_category(*prefixes: str) -> set[str]:
    return {char for char in EVERY if unicodedata.category(char).startswith(prefixes)}


@pytest.mark.parametrize(
    ("flag", "categories"),
    [
        pytest.param(unicode.LETTER, ("L",), id="letters"),
        pytest.param(unicode.DECIMAL, ("Nd",), id="decimals"),
        pytest.param(unicode.NUMBER, ("N",), id="numbers"),
        pytest.param(unicode.PUNCTUATION, ("P",), id="punctuation"),
        pytest.param(unicode.UPPER, ("Lu", "Lt"), id="upper case"),
        pytest.param(unicode.LOWER, ("Ll",), id="lower case"),
    ],
)
def test_class_is_the_general_category(flag: int, categories: tuple[str, ...]) -> None:
    assert characters_with(flag) == of_category(*categories)


def test_whitespace_is_what_split_splits_at() -> None:
    assert characters_with(unicode.SPACE) == {char for char in EVERY if f"a{char}b".split()[0] != f"a{char}b"}


def test_lower_case_is_one_character() -> None:
    table = unicode.lower_cases()
    assert [chr(unicode.lower_of(table, ord(char))) for char in "AÉΣİẞ𐐀ꙀAaß中1"] == list("aéσiß𐐨ꙁaaß中1")
    codes = np.arange(sys.maxunicode + 1)
    lower = codes + table[table[codes >> 8] + (codes & 255)]
    assert [chr(code) for code in lower] == [char.lower()[0] for char in EVERY]


@given(texts)
def test_decode_and_encode_agree_with_python(text: str) -> None:
    data = np.frombuffer(text.encode(), np.uint8)
    codes = []
    at = 0
    out = np.zeros(len(data), np.uint8)
    to = 0
    while at < len(data):
        code, size = unicode.decode(data, at, len(data))
        codes.append(code)
        to = unicode.encode(out, to, code)
        at += size
    assert "".join(map(chr, codes)) == text
    assert bytes(out[:to]) == text.encode()


@given(st.binary(min_size=1, max_size=30))
def test_stray_bytes_are_one_replacement_character_each(content: bytes) -> None:
    data = np.frombuffer(content, np.uint8)
    at = 0
    rebuilt = b""
    while at < len(data):
        code, size = unicode.decode(data, at, len(data))
        assert 1 <= size <= len(data) - at
        assert 0 <= code <= sys.maxunicode
        rebuilt += content[at : at + size]
        at += size
    assert rebuilt == content


@pytest.mark.parametrize("content", [b"\x80", b"\xff", b"\xc3", b"\xe2\x80", b"\xf0\x9f\x98", b"\xf4\x90\x80\x80"])
def test_incomplete_sequence(content: bytes) -> None:
    assert unicode.decode(np.frombuffer(content, np.uint8), 0, len(content)) == (0xFFFD, 1)


@pytest.mark.parametrize(
    ("flag", "chars", "others"),
    [
        pytest.param(unicode.TERMINAL, ".?!।॥。！？؟።‼", ",;:…-\"'a", id="ends a sentence"),
        pytest.param(unicode.CLOSING, "\"')]}»”’」）", "([{.!-a", id="may follow an end"),
        pytest.param(unicode.SYMBOL, "#$%*-.…—“”»、。।", "aé中1\n\t ", id="no word by itself"),
    ],
)
def test_listed_classes(flag: int, chars: str, others: str) -> None:
    found = characters_with(flag)
    assert set(chars) <= found
    assert not set(others) & found


def test_unseen_are_the_default_ignorable_and_the_empty_cell() -> None:
    ignorable = regex.compile(r"\p{Default_Ignorable_Code_Point}")
    expected = {char for char in EVERY if ignorable.match(char)} | {"\u2800"}
    assert characters_with(unicode.UNSEEN) == expected
    assert {char for char in EVERY if unicode.unseen(ord(char))} == expected


@pytest.mark.parametrize(
    ("text", "stripped"),
    [
        pytest.param("\u3000a \u200b\n", "a \u200b", id="invisible at the end of what can be seen"),
        pytest.param("\u200b a ", "\u200b a", id="invisible at its beginning"),
        pytest.param(" \u200b\u2060 \u2800\ufeff\t", "", id="nothing to be seen"),
        pytest.param("\u200b" * 100, "", id="a long run"),
    ],
)
def test_strip(text: str, stripped: str) -> None:
    data = np.frombuffer(text.encode(), np.uint8)
    start, stop = unicode.strip(data, 0, len(data), unicode.classes())
    assert bytes(data[start:stop]).decode() == stripped

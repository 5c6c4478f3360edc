"""Each normalization, character by character; lines and bytes that are not UTF-8 stay."""

import unicodedata

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.models.ngram.normalization import Normalization, normalize
from tests.curation.text.texts import batches, sliced


def normalized(text: str, normalization: Normalization) -> str:
    (result,) = normalize(pa.array([text], pa.large_string()), normalization).to_pylist()
    return str(result)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Ein Haus", "ein haus", id="lower case"),
        pytest.param("Éléphant ÅNGSTRÖM ňş", "elephant angstrom ns", id="accents"),
        pytest.param("e\u0301te\u0301", "ete", id="accents as marks"),
        pytest.param("1914 ٣ ३", "0000 0 0", id="digits of any script"),
        pytest.param("„so“ – l’ami… 「是」，好。", '"so" - l\'ami... "是",好.', id="punctuation"),
        pytest.param("１．２", "0. 0", id="wide digits and a wide full stop"),
        pytest.param("a—b", "a - b", id="a long dash"),
        pytest.param("a\u00a0b\u3000c\td", "a b c d", id="spaces"),
        pytest.param("a\u0007b\u0080c\x7fd\0e", "abcde", id="control characters"),
        pytest.param("한국어 中文 ß ½", "한국어 中文 ß ½", id="characters without accents"),
        pytest.param("A\n\n B\u2028C", "a\n\n b c", id="only line feeds separate lines"),
    ],
)
def test_ccnet(text: str, expected: str) -> None:
    assert normalized(text, "ccnet") == expected


@given(st.text())
def test_nfc_is_that_of_python_but_for_spaces(text: str) -> None:
    expected = "".join(" " if c.isspace() and c != "\n" else c for c in unicodedata.normalize("NFC", text))
    assert normalized(text, "nfc") == expected


@given(batches)
def test_none_changes_nothing_and_all_keep_the_lines(texts: list[str | None]) -> None:
    array = sliced(texts)
    assert normalize(array, "none").to_pylist() == texts
    forms: tuple[Normalization, ...] = ("nfc", "ccnet")
    for form in forms:
        result = normalize(array, form).to_pylist()
        assert [text.count("\n") for text in result] == [(text or "").count("\n") for text in texts]


@pytest.mark.parametrize("normalization", ["none", "nfc", "ccnet"])
def test_bytes_that_are_not_utf8_stay(normalization: Normalization) -> None:
    texts = pa.array([b"\xff so\xc3", b"e\xcc\x81", b"\x80"], pa.large_binary()).view(pa.large_string())
    result = normalize(texts, normalization).view(pa.large_binary()).to_pylist()
    accent = {"none": b"e\xcc\x81", "nfc": "é".encode(), "ccnet": b"e"}[normalization]
    assert result == [b"\xff so\xc3", accent, b"\x80"]

"""Texts in capitals: which they are, and their lower case in languages where that is not one letter for another."""

import pyarrow as pa
import pytest

from curation.models.capitals import in_capitals, lowered, small_letters
from curation.models.text_windows import whole


def texts(*values: str | None) -> pa.Array:
    return pa.array(values, pa.large_string())


@pytest.mark.parametrize(
    ("text", "capital"),
    [
        pytest.param("ABc", True, id="two of three letters"),
        pytest.param("ABcd", False, id="half of the letters"),
        pytest.param("12 34 A!", True, id="digits and signs are no letters"),
        pytest.param("ÄÖü", True, id="beyond ASCII"),
        pytest.param("ПРИВЕТ", True, id="Cyrillic"),
        pytest.param("日本語のUSB", False, id="letters without case count too"),
        pytest.param("[@`{", False, id="neighbours of letters in ASCII"),
        pytest.param("ᏣᎳᎩ", False, id="Cherokee, whose usual letters are capital by Unicode"),
        pytest.param("", False, id="empty"),
        pytest.param(None, False, id="null"),
    ],
)
def test_texts_in_capitals(text: str | None, capital: bool) -> None:
    assert in_capitals(whole(texts(text))).tolist() == [capital]


@pytest.mark.parametrize(
    ("text", "small"),
    [
        pytest.param("THE RAIN IN SPAIN", "the rain in spain", id="English"),
        pytest.param("MÜLLER, STRASSE", "müller, strasse", id="German"),
        pytest.param("İYİ KIZ", "iyi kız", id="Turkish"),
        pytest.param("VISITING THIS CITY WITH İPEK", "visiting this city with ipek", id="one Turkish name"),
        pytest.param("ΟΔΟΣ ΣΟΦΙΑΣ, ΟΣΟ", "οδος σοφιας, οσο", id="Greek with final sigmas"),
        pytest.param("ΣΑΣ", "σας", id="a sigma at the end of the text"),
        pytest.param("ПРИВЕТ", "привет", id="Cyrillic"),
    ],
)
def test_lower_case(text: str, small: str) -> None:
    assert lowered(texts(text)).to_pylist() == [small]


def test_only_texts_in_capitals_change() -> None:
    assert small_letters(texts("A Title", "ALL OF IT", None, "GRoß")).to_pylist() == [
        "A Title",
        "all of it",
        None,
        "GRoß",
    ]
    ordinary = texts("A Title", None)
    assert small_letters(ordinary) is ordinary
    assert small_letters(texts("x", "A Title", "ABC").slice(1)).to_pylist() == ["A Title", "abc"]
    assert small_letters(texts()).to_pylist() == []

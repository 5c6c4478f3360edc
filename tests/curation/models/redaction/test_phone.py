"""Numbers keep their format and go to ranges for fiction, where the country has one."""

import re

import pytest

from curation.models.redaction.keyed import KeyedDraws
from curation.models.redaction.phone import phone

KEY = KeyedDraws(b"1" * 64)


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        pytest.param("212-736-5000", r"212-555-01\d\d", id="North America"),
        pytest.param("+1 (212) 736-5000", r"\+1 \(212\) 555-01\d\d", id="with its country"),
        pytest.param("212.736.5000 ext. 12", r"212\.555\.01\d\d ext\. \d\d", id="an extension"),
        pytest.param("020 7946 1234", r"016 3296 0\d\d\d", id="British"),
        pytest.param("+44 7911 123456", r"\+44 7700 900\d\d\d", id="British mobile"),
        pytest.param("01 42 68 53 00", r"01 99 00 \d\d \d\d", id="French"),
        pytest.param("+33 6 12 34 56 78", r"\+33 6 39 98 \d\d \d\d", id="French mobile"),
        pytest.param("+49 30 12345678", r"\+49 30 23125\d\d\d", id="German"),
        pytest.param("+61 2 9374 4000", r"\+61 2 5550 \d\d\d\d", id="Australian"),
    ],
)
def test_reserved(value: str, shape: str) -> None:
    made = phone(value, "phone", KEY)
    assert re.fullmatch(shape, made)
    assert phone(made, "phone", KEY) == made


def test_a_country_without_a_range_keeps_three_digits() -> None:
    made = phone("+47 23 45 67 89", "phone", KEY)
    assert re.fullmatch(r"\+47 2\d \d\d \d\d \d\d", made)
    assert made != "+47 23 45 67 89"


@pytest.mark.parametrize("value", ["", "+", "12", "ext. 4", "1" * 200])
def test_what_is_no_number_keeps_its_length(value: str) -> None:
    assert len(phone(value, "phone", KEY)) == len(value)

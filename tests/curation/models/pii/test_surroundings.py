"""URLs, formulas and code around a value."""

import re

import pytest

from curation.models.pii.overlaps import PiiSpan
from curation.models.pii.surroundings import IN_CODE, IN_FORMULA, IN_URL, surroundings


def flags(text: str, values: bytes = b"123") -> list[int]:
    """Of each of these values in a text."""
    content = text.encode()
    return surroundings([PiiSpan("phone", *found.span(), 0.4) for found in re.finditer(values, content)], content)


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("https://a.org/123", IN_URL),
        ("www.a.org/?x=123", IN_URL),
        ("https://a.org/ 123", 0),
        ("https://a.org/。123", 0),
        ('"https://a.org/">123', 0),
        ("a/123", 0),
        ("so $x = 123$ holds", IN_FORMULA),
        ("so $x$ and 123 in $y_1$", 0),
        ("costs $5 and 123 or $10", 0),
        ("costs $a_5 and 123$0", 0),
        ("from $5_{a} to 123 $", 0),
        ("$x_1\n\n 123$", 0),
        ("\\(a 123\\)", IN_FORMULA),
        ("\\(a\\) 123", 0),
        ("\\[a\n123\\]", IN_FORMULA),
        ("run `x 123` now", IN_CODE),
        ("run `x` 123 `y`", 0),
        ("run `x 123", 0),
        ("```\nx 123\n```", IN_CODE),
        ("```\nx\n```\n123", 0),
        ("`$x_1 123$`", IN_CODE | IN_FORMULA),
        ("123", 0),
    ],
)
def test_flags(text: str, flag: int) -> None:
    assert flags(text) == [flag]


def test_several_values_of_a_text() -> None:
    assert flags("1\n```\n2\n```\n3\n```\n4\n```", rb"\d") == [0, IN_CODE, 0, IN_CODE]
    assert flags("```\n2\n```\n3", rb"\d") == [IN_CODE, 0]


@pytest.mark.parametrize(("between", "flag"), [(1995, IN_CODE), (2000, 0)])
def test_no_farther_than_2000_bytes(between: int, flag: int) -> None:
    assert flags("`" + " " * between + "123`") == [flag]

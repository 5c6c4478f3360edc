"""URLs, formulas and code around a value."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.models.pii.surroundings import IN_CODE, IN_FORMULA, IN_URL, surroundings
from curation.text.kernels.buffers import text_buffers


def flags(*texts: str) -> list[int]:
    """Of the value 123 in each text, which has one."""
    data, offsets = text_buffers(pa.array(texts))
    at = [int(offset) + text.encode().index(b"123") for text, offset in zip(texts, offsets, strict=False)]
    places = np.array([(document, first, first + 3) for document, first in enumerate(at)], np.int64)
    return [int(flag) for flag in surroundings(data, offsets, places)]


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


@given(st.lists(st.text("a`$\\_ \n:/w.([])é", max_size=30), min_size=1, max_size=5))
def test_a_value_does_not_depend_on_other_documents(texts: list[str]) -> None:
    whole = [f"{text}123{text}" for text in texts]
    assert flags(*whole) == [flags(text)[0] for text in whole]


def test_several_values_of_a_text() -> None:
    data, offsets = text_buffers(pa.array(["1\n```\n2\n```\n3\n```\n4\n```"]))
    places = np.array([(0, at, at + 1) for at, byte in enumerate(data) if chr(byte).isdecimal()], np.int64)
    assert surroundings(data, offsets, places).tolist() == [0, IN_CODE, 0, IN_CODE]

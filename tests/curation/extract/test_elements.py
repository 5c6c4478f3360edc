"""The table of elements that compiled code reads."""

import pytest

from curation.extract.elements import CELL, CLOSES_P, FORMATTING, RAW, SPECIAL, VOID, flags_of, name_hash


@pytest.mark.parametrize(
    ("name", "has", "lacks"),
    [
        ("br", VOID, RAW),
        ("script", RAW, VOID),
        ("td", CELL, CLOSES_P),
        ("b", FORMATTING, SPECIAL),
        ("div", CLOSES_P, VOID),
    ],
)
def test_flags(name: str, has: int, lacks: int) -> None:
    flags = flags_of(name_hash(name))
    assert flags & has
    assert not flags & lacks


def test_unknown_names_have_no_flags() -> None:
    assert flags_of(name_hash("custom-element")) == 0

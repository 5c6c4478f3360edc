"""Numbers of ordered lists: where they start, items with values, both directions, letters and Roman numerals."""

import pytest

from curation.text.html.numbering import integer, markers, ordinal


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("3", 3),
        (" \t\n+3", 3),
        ("-3", -3),
        ("0", 0),
        ("007", 7),
        ("3.9", 3),
        ("3rd", 3),
        ("2147483647", 2147483647),
        ("2147483648", None),
        ("-2147483648", -2147483648),
        ("-2147483649", None),
        ("12345678901", None),
        ("", None),
        ("x3", None),
        ("- 3", None),
        ("٣", None),
        ("\xa03", None),
        (None, None),
    ],
)
def test_integers_of_attributes(written: str | None, number: int | None) -> None:
    assert integer(written) == number


def test_where_a_list_starts() -> None:
    assert markers([None, None]) == ["1", "2"]
    assert markers([None, None], start="5") == ["5", "6"]
    assert markers([None, None], start="five") == ["1", "2"]
    assert markers([None, None, None], start="-1") == ["-1", "0", "1"]
    assert markers([]) == []


def test_values_of_items() -> None:
    assert markers([None, "7", None, "x", "3", None]) == ["1", "7", "8", "9", "3", "4"]
    assert markers(["4", None], start="9") == ["4", "5"]


def test_backwards() -> None:
    assert markers([None] * 3, backwards=True) == ["3", "2", "1"]
    assert markers([None] * 3, backwards=True, start="2") == ["2", "1", "0"]
    assert markers([None, "9", None], backwards=True) == ["3", "9", "8"]


def test_kinds() -> None:
    assert markers([None] * 2, kind="a", start="26") == ["z", "aa"]
    assert markers([None] * 3, kind="i", start="-1") == ["-1", "0", "i"]
    assert markers([None] * 4, kind="A", kinds=[None, "i", "disc", "1"]) == ["A", "ii", "", "4"]
    assert markers([None], kind="square") == ["1"]


@pytest.mark.parametrize(
    ("number", "kind", "written"),
    [
        (1, "a", "a"),
        (26, "a", "z"),
        (27, "A", "AA"),
        (702, "a", "zz"),
        (703, "a", "aaa"),
        (0, "a", "0"),
        (-3, "A", "-3"),
        (4, "i", "iv"),
        (9, "I", "IX"),
        (1994, "I", "MCMXCIV"),
        (3888, "i", "mmmdccclxxxviii"),
        (3999, "i", "mmmcmxcix"),
        (4000, "i", "4000"),
        (0, "I", "0"),
        (12, "1", "12"),
        (12, None, "12"),
        (12, "x", "12"),
    ],
)
def test_styles(number: int, kind: str | None, written: str) -> None:
    assert ordinal(number, kind) == written

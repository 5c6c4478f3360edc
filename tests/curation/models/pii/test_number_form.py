"""Forms of numbers: those of telephones, and others."""

import pytest

from curation.models.pii.number_form import digits, in_thousands, is_date, is_mobile, is_other, is_strong, is_written_so


@pytest.mark.parametrize(
    "value",
    [
        *("2021-12-09", "09-12-2021", "1688-1711", "16444/07", "40. 000. 000", "(1685-1753)", "1" * 16),
        *("48 / 09.04.2013", "+1 000 000", "+77,000,000,000", "+100000000"),
    ],
)
def test_others(value: str) -> None:
    assert is_other(value)


@pytest.mark.parametrize(
    "value",
    [
        *("215-794-3112", "(888) 667-1411", "800.420.6088", "1-877-669-6877", "0800 0158 123", "030 46644664"),
        *("8 962 839-56-63", "22 649-41-61", "01 23 45 67 89", "677 904 624", "0 800 127 067", "(0341) 696290"),
        *("081.8795350", "886-2-25019688", "011 289-2222", "0341 1234"),
    ],
)
def test_telephone_numbers(value: str) -> None:
    assert not is_other(value)
    assert is_written_so(value)


@pytest.mark.parametrize(
    "value",
    [
        *("0.8275550", "13.65-18.42", "2 285 491", "785 1856", "2021 1600 06", "0028-0836", "18931-1234"),
        *("1 2 3 4 567 8", "94-0011", "0341 123", "4285285160", "2106-8000", "978-0-471-66719-3", "1.234.567"),
    ],
)
def test_no_telephone_numbers(value: str) -> None:
    assert not is_written_so(value)


def test_amounts_are_in_thousands() -> None:
    assert in_thousands("12 345 678")
    assert not in_thousands("12 345 67")
    assert not is_other("+100 000 001")


def test_mobile_numbers_by_language() -> None:
    assert is_mobile("13812345678", "zh")
    assert not is_mobile("13812345678", "ja")
    assert not is_mobile("138 1234 5678", "zh")


def test_small_ones() -> None:
    assert is_strong("212-555-0123")
    assert not is_strong("0800 0158 123")
    assert digits("(0) 12") == 3
    assert is_date("2016.03.16 21")
    assert not is_date("99-99-2021")

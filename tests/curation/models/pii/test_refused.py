"""Numbers that are no personal data, each beside one that is."""

import pytest

from curation.models.pii.overlaps import Span
from curation.models.pii.refused import without_other_numbers, without_versions


def kept(before: str, value: str, after: str = "", kind: str = "phone") -> bool:
    start = len(before.encode())
    span = Span(kind, start, start + len(value.encode()), 0.4)
    content = f"{before}{value}{after}".encode()
    return without_versions(without_other_numbers([span], content), content) == [span]


@pytest.mark.parametrize(
    ("before", "value", "after", "stays"),
    [
        ("on ", "09-12-2021", "", False),
        ("on ", "[13.10.2021", "", False),
        ("on ", "2016.03.16 21", ":30", False),
        ("at ", "99-99-2021", "", True),
        ("pp. ", "1688-1711", "", False),
        ("pp. ", "1711-1688", "", True),
        ("no. ", "16444/07", "", False),
        ("of ", "40. 000. 000", " SEK", False),
        ("for $", "212 555 0123", "", False),
        ("for ", "212 555 0123", " €", False),
        ("ORDER-", "201902-2228", "", False),
        ("tel-", "212-555-0123", "", True),
        ("card number ", "2125550123", "", False),
        ("phone number ", "2125550123", "", True),
        ("card number ", "+12125550123", "", True),
        ("", "4900948022576220", "", False),
        ("é call ", "212-555-0123", "", True),
    ],
)
def test_telephone_numbers(before: str, value: str, after: str, stays: bool) -> None:
    assert kept(before, value, after) is stays


@pytest.mark.parametrize(
    ("before", "after", "stays"),
    [("version ", "", False), ("v", "", False), ("from ", "", True), ("from ", ".5", False), ("from ", ".", True)],
)
def test_versions(before: str, after: str, stays: bool) -> None:
    assert kept(before, "10.4.3.1", after, kind="ip") is stays


def test_a_telephone_number_inside_a_card_is_none() -> None:
    card, phone = Span("credit_card", 0, 16, 1.0), Span("phone", 0, 12, 0.4)
    assert without_other_numbers([card, phone], b"4111111111111111") == [card]


def test_an_imei_is_no_card() -> None:
    assert not kept("IMEI: ", "490154203237518", kind="credit_card")

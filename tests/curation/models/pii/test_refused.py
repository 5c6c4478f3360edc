"""Numbers that are no personal data, each beside one that is."""

import numpy as np
import pytest

from curation.models.pii.overlaps import PiiSpan
from curation.models.pii.refused import is_called, needs_words, without_others, without_words
from curation.models.pii.surroundings import IN_CODE, IN_FORMULA, IN_URL


def kept(before: str, value: str, after: str = "", kind: str = "phone", flag: int = 0) -> bool:
    start = len(before.encode())
    span = PiiSpan(kind, start, start + len(value.encode()), 0.4)
    return without_others([span], [flag], f"{before}{value}{after}".encode()) == [span]


@pytest.mark.parametrize(
    ("before", "value", "after", "stays"),
    [
        ("on ", "09-12-2021", "", False),
        ("on ", "[13.10.2021", "", False),
        ("on ", "2016.03.16 21", ":30", False),
        ("call ", "99-99-2021", "", False),
        ("call pp. ", "1688-1711", "", False),
        ("call ", "8688-8111", "", True),
        ("no. ", "16444/07", "", False),
        ("call ", "40. 000. 000", " SEK", False),
        ("for $", "212 555 0123", "", False),
        ("for ", "212 555 0123", " €", False),
        ("for ", "212-555-0123", " now", True),
        ("ORDER-", "201902-2228", "", False),
        ("track-", "212-555-0123", "", False),
        ("tel-", "212-555-0123", "", True),
        ("card number ", "212-555-0123", "", False),
        ("phone number ", "2125550123", "", True),
        ("card number ", "+12125550123", "", True),
        ("", "4900948022576220", "", False),
        ("é call ", "212-555-0123", "", True),
        ("x = ", "2125550123", "", False),
        ("x=", "212-555-0123", "", False),
        ("10:", "0800 158 123", "", False),
        ("at ", "0800 158 123", ":30", False),
        ("call ", "1234", "", False),
        ("call ", "12345", "", True),
        ("12 ", "0800 158 123", "", False),
        ("12, ", "0800 158 123", "", True),
        ("growth ", "+77 000 000 000", "", False),
        ("记·", "212-555-0123", "", True),
        ("3·", "212-555-0123", "", False),
        ("记-", "212-555-0123", "-谢", True),
        ("пункт-", "212-555-0123", "", False),
        ("هاتف ", "0501234567", " الآن", True),
        ("سعر الهاتف ", "1500000", " ريال", False),
        ("फ़ोन ", "9876543210", " पर", True),
        ("फ़ोन ", "1500000", " रुपये", False),
        ("ราคามือถือ ", "1500000", " บาท", False),
    ],
)
def test_telephone_numbers(before: str, value: str, after: str, stays: bool) -> None:
    assert kept(before, value, after) is stays


@pytest.mark.parametrize(
    ("before", "value", "after", "stays"),
    [
        ("version ", "10.4.3.1", "", False),
        ("v", "53.64.102.142", "", False),
        ('java "', "53.64.102.142", '"', False),
        ("Chrome/", "53.64.102.142", "", False),
        ("from ", "53.64.102.142", "", True),
        ("from ", "53.64.102.142", ".5", False),
        ("from ", "53.64.102.142", "-rc1", False),
        ("from ", "53.64.102.142", ".", True),
        ("at ", "192.168.0.1", "", False),
        ("section ", "4.4.3.1", "", False),
        ("IP ", "4.4.3.1", "", True),
        ("", "2a00:1450:4001::1", "", True),
        ("", "a::1", "", False),
        ("版本\x01", "53.64.102.142", "", False),
        ("记-", "53.64.102.142", "-谢", True),
        ("", "6e40:4041:c617:e898:c11:40d2:c669:2eb4", "", True),
    ],
)
def test_addresses_of_the_internet(before: str, value: str, after: str, stays: bool) -> None:
    assert kept(before, value, after, kind="ip") is stays


@pytest.mark.parametrize(
    ("kind", "value", "flag", "stays"),
    [
        ("phone", "+1 212 555 0123", IN_URL, False),
        ("phone", "+1 212 555 0123", IN_CODE, False),
        ("credit_card", "4111 1111 1111 1111", IN_FORMULA, False),
        ("ip", "53.64.102.142", IN_URL, False),
        ("ip", "53.64.102.142", IN_CODE, True),
        ("email", "a@b.org", IN_URL, False),
        ("email", "a@b.org", IN_CODE, True),
        ("iban", "GB82WEST12345698765432", IN_URL, False),
        ("iban", "GB82WEST12345698765432", 0, True),
        ("us_ssn", "078-05-1120", IN_CODE, False),
        ("us_ssn", "078-05-1120", 0, True),
    ],
)
def test_surroundings(kind: str, value: str, flag: int, stays: bool) -> None:
    assert kept(" ", value, kind=kind, flag=flag) is stays


@pytest.mark.parametrize(
    ("before", "value", "stays"),
    [
        ("?mail=", "a@b.org", True),
        ("?", "x/mailto:a@b.org", True),
        ("?", "x=y/a@b.org", False),
        ("?", "a=" * 500_000 + "/b@c.org", False),
        ("@", "a@b.org", False),
        ("/", "a@b.org", False),
        ("Message-ID: <", "a@b.org", False),
        ("", "a@b.org", True),
        ("", "golang.org/x/tools@v1.3.4", False),
        ("", "a.org/b@2.0.io", False),
        ("", "a@b.nosuchtld", False),
        ("", "a@почта\x011.рф", True),
        ("", "jo[at]b[dot]nosuchtld", True),
    ],
)
def test_emails(before: str, value: str, stays: bool) -> None:
    assert kept(before, value, kind="email", flag=IN_URL if before.startswith("?") else 0) is stays


@pytest.mark.parametrize(
    ("before", "phone", "kinds"),
    [
        ("Tel. ", "91.123.45.67", ["phone"]),
        ("", "+91.123.45.67", ["phone"]),
        ("тел.: ", "91.123.45.67", ["phone"]),
        ("host ", "91.123.45.67", ["ip"]),
        ("hotel ", "91.123.45.67", ["ip"]),
    ],
)
def test_a_telephone_number_with_dots_goes_before_an_address_if_it_is_called_so(
    before: str, phone: str, kinds: list[str]
) -> None:
    start, end = len(before.encode()), len(f"{before}{phone}".encode())
    spans = [PiiSpan("phone", start, end, 0.4), PiiSpan("ip", end - len("91.123.45.67"), end, 0.6)]
    found = without_others(spans, [0, 0], f"{before}{phone}".encode())
    assert [span.kind for span in found] == kinds


@pytest.mark.parametrize(
    ("language", "before", "value", "stays"),
    [
        ("zh", "", "13812345678", True),
        ("zh", "", "12812345678", False),
        ("zh", "", "138123456789", False),
        ("zh", "订单号: ", "13812345678", False),
        ("zh", "QQ:", "13812345678", False),
        ("zh", "a", "13812345678", False),
        ("zh", "手机号: ", "13812345678", True),
        ("en", "", "13812345678", False),
        ("ja", "", "09012345678", True),
        ("ko", "", "0101234567", True),
    ],
)
def test_mobile_numbers_without_blanks(language: str, before: str, value: str, stays: bool) -> None:
    start = len(before.encode())
    span = PiiSpan("phone", start, start + len(value), 0.4)
    assert (without_others([span], [0], f"{before}{value}".encode(), language) == [span]) is stays


@pytest.mark.parametrize(
    ("before", "value", "after", "stays"),
    [
        ("", "001b.4411.3ab7", ".", True),
        ("", "4111.1111.1111", ".1111", False),
        ("4111.", "1111.1111.1111", "", False),
        ("", "00:1b:44:11:3a:b7", ".1", True),
    ],
)
def test_hardware_addresses(before: str, value: str, after: str, stays: bool) -> None:
    assert kept(before, value, after, kind="mac_address") is stays


def test_what_has_to_be_called_by_its_name() -> None:
    def called(kind: str, before: str, value: str) -> bool | None:
        return is_called(
            PiiSpan(kind, len(before), len(before + value), 0.1), np.frombuffer(f"{before}{value}".encode(), np.uint8)
        )

    assert called("us_passport", "passport no. ", "910239248") is True
    assert called("us_passport", "transport no. ", "910239248") is False
    assert called("us_passport", "passport 1 no. ", "910239248") is False
    assert called("us_ssn", "", "078-05-1120") is None
    assert called("us_ssn", "", "078051120") is False
    assert called("email", "", "a@b.org") is None
    assert [kind for kind in ("email", "us_ssn", "de_plz") if needs_words(kind)] == ["de_plz"]


def test_a_telephone_number_inside_a_card_is_none() -> None:
    card = PiiSpan("credit_card", 0, 19, 1.0)
    phone = PiiSpan("phone", 0, 14, 0.4)
    assert without_others([card, phone], [0, 0], b"4111 1111 1111 1111") == [card]


def test_an_imei_is_no_card() -> None:
    assert not kept("IMEI: ", "4901 5420 3237 518", kind="credit_card")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("邮箱jubao@people.cn", ["jubao@people.cn"]),
        ("Рейтинг@Mail.ru", []),
        ("josé@example.org", ["josé@example.org"]),
        ("почта@пример.рф", ["почта@пример.рф"]),
        ("?mail=a@b.org", ["a@b.org"]),
        ("почта=почта@пример.рф", ["почта@пример.рф"]),
    ],
)
def test_words_before_an_address(text: str, left: list[str]) -> None:
    content = text.encode()
    kept = without_words([PiiSpan("email", 0, len(content), 1.0)], content)
    assert [content[span.start : span.end].decode() for span in kept] == left

"""Surrogates by kind: values that look alike and that are nobody's where a range is set aside for that.

    email         other letters and digits before the @, at example.org, example.com or example.net
    phone         the same format; in a range for fiction where the country has one, see `phone`
    credit_card   begins as a published test number of the same brand; passes Luhn's check
    iban          the same country and length; the check digits are right (mod 97)
    ip            an address of the ranges for documentation; /24 stays
    mac_address   00-00-5E-00-53-00 to -FF, which are for documentation
    crypto        a valid address of the same type, see `crypto`
    url_credentials   other letters and digits for name and password; example.org, example.com or example.net
    us_ssn        area 666, which is never issued
    any other     other letters and digits in the same places, see `alike`; of numbers of persons, companies and
                  documents those whose form and check digits are right

Each depends on the key, the kind and the value. A surrogate is its own surrogate, with the same key; the exceptions are
in `alike` and `phone`.
Source: RFC 2606 (example.org and others), RFC 5737, RFC 3849 and RFC 9542 (addresses for documentation), ISO/IEC
7812-1 annex B (Luhn), ISO 13616-1 (IBAN), US Social Security Administration, "Social Security Number Randomization"
(666 is no area), docs.stripe.com/testing (cards).
"""

import ipaddress
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from curation.models.redaction.alike import alike, drawn
from curation.models.redaction.crypto import crypto
from curation.models.redaction.keyed import KeyedDraws
from curation.models.redaction.phone import in_places_of, phone

Maker: TypeAlias = Callable[[str, str, KeyedDraws], str]  # (value, kind, key) -> surrogate

_NAME_AND_DOMAIN = re.compile(
    r"(?s)(.*?)(?:@|\s?[\[({<]\s?(?:at|@|ät|arroba)\s?[\])}>]\s?|\sat\s|$)([^@]*)", re.IGNORECASE
)
_LEAST_NAME = 10  # letters and digits
_DOMAINS = ("example.com", "example.net", "example.org")
# The first digits of a card -> those of a test number of its brand.
_TEST_CARDS = {
    **{"2": "222300", "30": "305693", "34": "371449", "35": "356600", "36": "362272", "37": "378282", "38": "305693"},
    **{"4": "424242", "5": "555555", "6": "601111"},
}
_CARD_MARK = 4  # digits; a card that begins as a test number and has this mark by chance is none that was issued
_V4 = tuple(map(ipaddress.IPv4Network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")))
_MAC = "00005E0053"
_V6 = ipaddress.IPv6Network("2001:db8::/32")


def email(value: str, kind: str, key: KeyedDraws) -> str:
    """The surrogate of an e-mail address, also of one that is written to hide (`name (at) site dot org`); .com and .net
    stay, other domains end in .org. A short name gets letters more, so that no two become one."""
    local, domain = _NAME_AND_DOMAIN.fullmatch(value).groups()  # type: ignore[union-attr]  # matches any text
    if domain.lower() in _DOMAINS:
        return value
    shape = _long(re.sub(r"[^\w.+-]", "x", local, flags=re.ASCII))
    made = drawn(shape, kind, key, seed=value.lower())  # the same name at another domain is another person
    return f"{made}@{_example(domain)}"


def url_credentials(value: str, kind: str, key: KeyedDraws) -> str:
    """The surrogate of a name, a password and the host that they are for, as they stand in a URL."""
    login, _, host = value.rpartition("@")
    if host.lower() in _DOMAINS:
        return value
    name, _, password = login.partition(":")
    made = drawn(_long(name), kind, key, seed=value), drawn(_long(password), f"{kind} password", key, seed=value)
    return f"{':'.join(made)}@{_example(host)}"


def _long(name: str) -> str:
    """The name with so many letters more that it has _LEAST_NAME letters and digits."""
    return name + "x" * (_LEAST_NAME - sum(map(str.isalnum, name)))


def _example(domain: str) -> str:
    end = domain.lower().rpartition(".")[2]
    return f"example.{end if end in ('com', 'net') else 'org'}"


def credit_card(value: str, kind: str, key: KeyedDraws) -> str:
    """The surrogate of a card's number of 12 digits or more; any signs between them stay where they are."""
    digits = "".join(char for char in value if char.isdecimal())
    start = _TEST_CARDS.get(digits[:2]) or _TEST_CARDS.get(digits[:1]) or _TEST_CARDS["4"]
    room = len(digits) - len(start) - _CARD_MARK - 1
    if room < 1:
        return alike(value, kind, key)

    def card(free: str) -> str:
        body = start + free + key.digits(_CARD_MARK, "mark", kind, free)
        return body + luhn_digit(body)

    if digits == card(digits[len(start) : len(start) + room]):
        return value
    return in_places_of(value, card(key.digits(room, "value", kind, digits)))


def luhn_digit(body: str) -> str:
    """The digit that, put after these, makes the sum of ISO/IEC 7812-1 a multiple of 10."""
    doubled = [int(digit) * (2 - place % 2) for place, digit in enumerate(reversed(body))]
    return str(-sum(number // 10 + number % 10 for number in doubled) % 10)


def iban(value: str, kind: str, key: KeyedDraws) -> str:
    """The surrogate of an IBAN; blanks stay where they are."""
    signs = "".join(value.split()).upper()
    country = signs[:2]
    account = alike(signs[4:], kind, key)
    number = int("".join(str(int(sign, 36)) for sign in f"{account}{country}00" if sign.isascii() and sign.isalnum()))
    new = iter(f"{country}{98 - number % 97:02d}{account}")
    return "".join(char if char.isspace() else next(new) for char in value)


def ip(value: str, kind: str, key: KeyedDraws) -> str:
    """The surrogate of an IPv4 or IPv6 address; what says how long its network's part is stays."""
    plain, slash, length = value.partition("/")
    try:
        address = ipaddress.ip_address(plain)
    except ValueError:
        address = None
    if isinstance(address, ipaddress.IPv6Address) or (address is None and ":" in plain):
        made = plain if address in _V6 else str(_V6[key.below(1 << 96, "value", kind, str(address or plain))])
    elif address is not None and any(address in network for network in _V4):
        made = plain
    else:
        chosen = key.below(len(_V4) * 254, "value", kind, str(address or plain))
        made = str(_V4[chosen // 254][1 + chosen % 254])
    return made + slash + length


def mac_address(value: str, kind: str, key: KeyedDraws) -> str:
    """The surrogate of a MAC address; there are 256 for documentation."""
    digits = "".join(char for char in value if char.isalnum())
    if len(digits) != 12:
        return alike(value, kind, key)
    if digits.upper().startswith(_MAC):
        return value
    made = f"{_MAC}{key.below(256, 'value', kind, digits.lower()):02X}"
    new = iter(made if digits.upper() == digits else made.lower())
    return "".join(next(new) if char.isalnum() else char for char in value)


def us_ssn(value: str, kind: str, key: KeyedDraws) -> str:
    """The surrogate of a US social security number."""
    digits = "".join(char for char in value if char.isdecimal())
    if len(digits) != 9:
        return alike(value, kind, key)
    if digits.startswith("666"):
        return value
    group = 1 + key.below(99, "group", kind, digits)
    serial = 1 + key.below(9999, "serial", kind, digits)
    return in_places_of(value, f"666{group:02d}{serial:04d}")


MAKERS: Mapping[str, Maker] = MappingProxyType(
    {
        "email": email,
        "phone": phone,
        "credit_card": credit_card,
        "crypto": crypto,
        "iban": iban,
        "ip": ip,
        "mac_address": mac_address,
        "url_credentials": url_credentials,
        "us_ssn": us_ssn,
    }
)

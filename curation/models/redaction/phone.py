"""Phone numbers of the same format, in ranges that are set aside for fiction.

North America: 555-0100 to 555-0199 of the same area. United Kingdom: 01632 960000 to 960999, 07700 900000 to 900999.
France: 01 99 00, 06 39 98. Germany: 030 23125 000 to 999. Australia: 5550 0000 to 9999 of the same area. A number
without a country's code is told by its length: 0 and ten digits are taken for British, 0 and nine for French, ten
digits without 0 for North American.
Source: ATIS-0300115 (555 numbers), Ofcom "Telephone numbers for drama use", ARCEP decision 2018-0881, Bundesnetzagentur
"Rufnummern für Medienproduktionen", ACMA "Phone numbers for use in creative works".

Any other number keeps its first three digits and gets others after them, with which it is a number of its country. So
it may be somebody's, and a second redaction changes it again. Placeholders have neither drawback.
"""

import re
from collections.abc import Callable

from curation.models.redaction.keyed import KeyedDraws

# Digits of a whole number, of which the group stays, and what follows the group in the surrogate: # is any digit.
_INTERNATIONAL = (
    (r"(1[2-9]\d\d)\d{7}", "55501##"),
    (r"(44)7\d{9}", "7700900###"),
    (r"(44)[1238]\d{9}", "1632960###"),
    (r"(33)[67]\d{8}", "63998####"),
    (r"(33)[1-59]\d{8}", "19900####"),
    (r"(49)\d{10}", "3023125###"),
    (r"(61[2378])\d{8}", "5550####"),
)
_NATIONAL = (
    (r"(1?[2-9]\d\d)\d{7}", "55501##"),
    (r"(0)7\d{9}", "7700900###"),
    (r"(0)[1-68-9]\d{9}", "1632960###"),
    (r"(0)[67]\d{8}", "63998####"),
    (r"(0)[1-589]\d{8}", "19900####"),
)
_KEPT = 3
_TRIES = 1_000
_EXTENSION = re.compile(r"(?i)(?:(?<!\s)\s+)?(?:(?:;\s*)?ext|x|#).*$", re.DOTALL)


def phone(value: str, kind: str, key: KeyedDraws, is_valid: Callable[[str], bool] | None = None) -> str:
    """The surrogate of a phone number; any signs between its digits stay where they are. Where no range is set aside,
    it is the first of many that `is_valid`."""
    number = _EXTENSION.sub("", value)
    digits = "".join(char for char in number if char.isdecimal())
    abroad = number.lstrip("( ").startswith("+")
    for pattern, reserved in _INTERNATIONAL if abroad else _NATIONAL:
        if match := re.fullmatch(pattern, digits, re.ASCII):
            if re.fullmatch(match[1] + reserved.replace("#", r"\d"), digits):
                return value
            room = reserved.count("#")
            tail = reserved.rstrip("#") + key.digits(room, "value", kind, digits[-9:])
            extension = "".join(char for char in value[len(number) :] if char.isdecimal())
            return in_places_of(value, match[1] + tail + key.digits(len(extension), "extension", kind, value))
    first = ""
    for attempt in range(_TRIES if is_valid else 1):
        seed = (digits, *([str(attempt)] if attempt else []))
        new = digits[:_KEPT] + key.digits(max(len(digits) - _KEPT, 0), "value", kind, *seed)
        made = in_places_of(value, new.ljust(sum(map(str.isdecimal, value)), "0"))
        first = first or made
        if is_valid is None or is_valid(made):
            return made
    return first


def in_places_of(value: str, digits: str) -> str:
    """The value with its decimal digits replaced by these, one by one."""
    new = iter(digits)
    return "".join(next(new) if char.isdecimal() else char for char in value)

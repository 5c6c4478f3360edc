"""Takes away what programs wrap around a text or put into it as characters: PGP's armour and uuencoded files.

A signed text stays, without the lines that begin and end it, the signature, and the dashes that it escapes. Encrypted
texts, keys and files go.

Sources: RFC 9580, sections 6 and 7 (armour, cleartext signatures), and POSIX (uuencode).
"""

import re
from collections.abc import Iterator, Sequence

_BEGIN = re.compile(r"[ \t]{0,3}-{5}BEGIN PGP ([A-Z ]{3,30}?)(?:, PART [\d/]{1,9})?-{5}\s*$")
_FIELD = re.compile(r"[A-Z][\w-]{1,20}: ?")
_FILE = re.compile(r"begin(?:-base64)? [0-7]{3,4} \S")
_CODED = re.compile(r"[!-`]{1,62}$")
_ENDS = ("-----END PGP", " -----END PGP", "- -----END PGP")
_ESCAPED = ("- -", "- From ")


def has_armour(text: str) -> bool:
    """Whether `without_armour` may find any in a text."""
    return "-----BEGIN PGP" in text or "\nbegin" in text or text.startswith("begin")


def without_armour(lines: Sequence[str]) -> Iterator[str]:
    """These lines but for armour."""
    number = 0
    signed = False
    while number < len(lines):
        line = lines[number]
        if signed and line.startswith(_ESCAPED):
            line = line[2:]
        begins = _BEGIN.match(line[:80])
        if begins and begins[1] == "SIGNED MESSAGE":
            signed = True
            number = _after_fields(lines, number + 1)
        elif begins:
            signed = signed and begins[1] != "SIGNATURE"
            number = _after_end(lines, number)
        elif _FILE.match(line[:80]) and (after := _after_file(lines, number + 1)):
            number = after
        else:
            yield line
            number += 1


def _after_fields(lines: Sequence[str], number: int) -> int:
    while number < len(lines) and _FIELD.match(lines[number][:40]):
        number += 1
    return number


def _after_end(lines: Sequence[str], number: int) -> int:
    """Behind the line that ends an armour, or behind its last line of characters where none does."""
    for after in range(number + 1, len(lines)):
        if lines[after].startswith(_ENDS):
            return after + 1
        if lines[after].strip() and " " in lines[after].strip() and not _FIELD.match(lines[after][:40]):
            return after
    return len(lines)


def _after_file(lines: Sequence[str], number: int) -> int:
    """Behind the line that ends a file, 0 where this is none."""
    for after in range(number, len(lines)):
        if lines[after].rstrip() in ("end", "===="):
            return after + 1
        if not _CODED.match(lines[after].rstrip() or "`"):
            return 0
    return 0

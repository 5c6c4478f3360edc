"""The kinds of characters that values are written with, and what stands for each in ASCII."""

import numpy as np
import pytest

from curation.text.patterns import value_signs as signs


def sign(char: str) -> tuple[int, str]:
    data = np.frombuffer(char.encode(), np.uint8)
    kind, own, code, size = signs.sign_at(data, 0, len(data), signs.sign_table())
    assert (code, size) == (ord(char), len(data))
    return kind, chr(own) if own else ""


@pytest.mark.parametrize(
    ("chars", "kind", "own"),
    [
        ("7", signs.DIGIT, ""),
        ("٧७๗７", signs.DIGIT, "7"),
        ("A", signs.CAPITAL, ""),
        ("ａ", signs.SMALL, "a"),
        ("éßøÅſ", signs.LATIN, ""),
        ("жλ記ーก्가אبあ々〇", signs.FOREIGN, ""),
        ("\u0301\u064b", signs.COMBINING, ""),
        ("\u00a0\u1680\u2000\u2009\u202f\u205f\u3000", signs.SPACE, " "),
        ("\u200b\u200c\u200d\u2060\ufeff\u00ad\u200f\u202a\u2066", signs.UNSEEN, ""),
        ("+([@", signs.OPENS, ""),
        ("_.:/-!?", signs.SIGN, ""),
        ("²½①,;#\t\n", 0, ""),
    ],
)
def test_kinds(chars: str, kind: int, own: str) -> None:
    expected = signs.DASH, "-"
    assert {char: sign(char) for char in chars} == {char: expected if char == "ー" else (kind, own) for char in chars}


@pytest.mark.parametrize(
    ("text", "between"),
    [("0a–F9", True), ("0a–F", False), ("0g–F9", False), ("10a–F9", False), ("0a–F91", False), ("é0a–F9é", True)],
)
def test_pairs_of_hexadecimal_digits(text: str, between: bool) -> None:
    data = np.frombuffer(text.encode(), np.uint8)
    at = text.encode().index("–".encode())
    assert signs.between_pairs(data, 0, at, at + 3, len(data)) is between


@pytest.mark.parametrize(
    ("left", "right", "byte"),
    [
        (signs.DIGIT, signs.DIGIT, ord(" ")),
        (signs.SMALL, signs.DIGIT, ord(" ")),
        (signs.SMALL, signs.OPENS, 0),
        (signs.OPENS, signs.DIGIT, 0),
        (signs.DIGIT, signs.FOREIGN, signs.MARK),
        (0, signs.DIGIT, signs.MARK),
        (signs.FOREIGN, signs.FOREIGN, -1),
    ],
)
def test_invisible_characters(left: int, right: int, byte: int) -> None:
    assert signs.instead(signs.UNSEEN, 0, left, right) == byte

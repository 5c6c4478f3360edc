"""How characters join, against the properties of another library."""

import unicodedata

import pytest
import regex

from curation.text.kernels import clusters

TABLE = clusters.cluster_joins()
EVERY = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000 and unicodedata.category(chr(code)) != "Cn"]


def entry(code: int) -> int:
    return int(TABLE[int(TABLE[code >> 8]) + (code & 255)])


def joining(*classes: int) -> set[int]:
    return {code for code in EVERY if entry(code) & clusters.JOINS in classes}


def having(expression: str) -> set[int]:
    pattern = regex.compile(expression)
    return {code for code in EVERY if pattern.match(chr(code))}


@pytest.mark.parametrize(
    ("joins", "name"),
    [
        (clusters.RETURN, "CR"),
        (clusters.FEED, "LF"),
        (clusters.CONTROL, "Control"),
        (clusters.REGIONAL, "Regional_Indicator"),
        (clusters.ZERO_WIDTH_JOINER, "ZWJ"),
        (clusters.LEADING, "L"),
        (clusters.VOWEL, "V"),
        (clusters.TRAILING, "T"),
        (clusters.SYLLABLE, "LV"),
        (clusters.CLOSED_SYLLABLE, "LVT"),
    ],
)
def test_class_is_the_property(joins: int, name: str) -> None:
    assert joining(joins) == having(rf"\p{{Grapheme_Cluster_Break={name}}}")


def test_marks_and_signs_before_a_letter_join_at_least_where_unicode_says() -> None:
    marks = having(r"[\p{Grapheme_Cluster_Break=Extend}\p{Grapheme_Cluster_Break=SpacingMark}]")
    assert marks <= joining(clusters.EXTEND, clusters.SPACING)
    assert joining(clusters.EXTEND, clusters.SPACING) - marks <= having(r"\p{Mc}")
    signs = having(r"\p{Grapheme_Cluster_Break=Prepend}")
    assert signs <= joining(clusters.PREPEND)
    assert joining(clusters.PREPEND) - signs <= having(r"\p{Lo}")
    linkers = {code for code in EVERY if entry(code) & clusters.LINKER}
    assert having(r"\p{InCB=Linker}") <= linkers | joining(clusters.PREPEND)


def test_pictographs_and_spaces() -> None:
    assert having(r"\p{Extended_Pictographic}") <= joining(clusters.PICTOGRAPH)
    blanks = {code for code in EVERY if entry(code) & clusters.BLANK}
    assert blanks == {code for code in EVERY if chr(code).isspace()} | {0x200B}


@pytest.mark.parametrize("char", [*"中かカกລខမ。、」！ｶ", "\U00020000"])
def test_scripts_without_spaces(char: str) -> None:
    assert entry(ord(char)) & clusters.UNSPACED


@pytest.mark.parametrize("char", [*"aéЖאبक한１Ａ.-👩", "\u3000"])
def test_scripts_with_spaces(char: str) -> None:
    assert not entry(ord(char)) & clusters.UNSPACED

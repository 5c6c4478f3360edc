"""What both engines read alike is parsed and joined; everything else is refused."""

from typing import Any

import pytest

from curation.tokens.encoders import word_pattern
from curation.tokens.encoders.word_pattern import Inexpressible, cut_before, cuts, parse, with_rest, written
from tests.curation.tokens import byte_pair_files as files


@pytest.mark.parametrize(
    "pattern",
    [
        word_pattern.BYTE_LEVEL,
        files.WORDS_3,
        files.CASED,
        files.SIGNS,
        r"\p{L}++|\P{L}",
        r"(?:a|b+){2,3}c|[^\]a-z\-]",
        r"\.|\$",
    ],
)
def test_what_is_read_is_written_the_same(pattern: str) -> None:
    assert written(parse(pattern)) == pattern


def test_capturing_makes_no_difference() -> None:
    assert written(parse("(a|b)c")) == "(?:a|b)c"


@pytest.mark.parametrize(
    "pattern",
    [
        *("a*?", "a+?", "a??", "a{2}+", "a{1,2}?", "a{,2}", "a+++", "a**"),
        *("^a", "a$", ".", r"\ba", r"\w", r"\h", r"\R", r"\x41", r"\<", r"\p{Greek}", r"\p{^L}", r"\1"),
        *("(?<=a)b", "(?<!a)b", "(?>a)", "(?m:a)", "(?i)a", "(?<n>a)", "(?#x)a"),
        *("[a[b]]", "[a&&b]", "[a--b]", "[]a]", "[[:alpha:]]", r"[\w]", "[]", "a]", "a}", "{a}"),
        *("(a", "a)", "+a", "a|+", r"(?!\S)+a"),
    ],
)
def test_refused(pattern: str) -> None:
    with pytest.raises(Inexpressible):
        parse(pattern)


@pytest.mark.parametrize("pattern", ["", "a|", "a*", "a?b*", r"(?!\S)", "(?:a|b?)", "a{0,2}", "(?:a+)?"])
def test_an_expression_that_can_match_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(Inexpressible, match="can match an empty text"):
        parse(pattern)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a| ?b+|c?d*e", ["a", "b", "e"]),
        (r"\s+(?!\S)|\s+", [r"\s"]),  # not the one that looks ahead
        ("ab|c{2}|(?:a|b)", []),  # two that are needed, a group
        ("a{1,3}|b++|c?+d", ["a", "b"]),  # the last might eat what it needs
    ],
)
def test_classes_of_which_every_character_begins_a_match(pattern: str, expected: list[str]) -> None:
    assert word_pattern.covering(parse(pattern)) == expected


def test_single_characters_are_cut_out_of_what_follows() -> None:
    joined = cut_before(parse(r"\p{N}"), parse(r" ?[a-z]+|\s+(?!\S)"))
    assert written(joined) == r"\p{N}|[[ ]--[\p{N}]]?[[a-z]--[\p{N}]]+|[[\s]--[\p{N}]]+(?![[\S]--[\p{N}]])"


def test_runs_of_a_class_are_cut_by_themselves() -> None:
    assert written(cut_before(parse("[0-9]+"), parse("a+|b"))) == (
        "[[a]&&[0-9]]+|[[b]&&[0-9]]|[[a]--[0-9]]+|[[b]--[0-9]]"
    )


@pytest.mark.parametrize("pattern", ["ab", "a|b", "a*b", "(?:a)", "a{2,3}", "(?i:a)", "a(?!b)"])
def test_other_first_cuts_are_refused(pattern: str) -> None:
    with pytest.raises(Inexpressible, match="before it cuts otherwise"):
        cut_before(parse(pattern), parse("c"))


def test_the_rest_is_what_no_match_begins_in() -> None:
    assert written(with_rest(parse("a|b"))) == r"a|b|(?:(?!a|b)[\s\S])+"


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        (files.GPT2, ([word_pattern.BYTE_LEVEL], True)),
        ({"type": "ByteLevel", "add_prefix_space": False}, ([word_pattern.BYTE_LEVEL], True)),  # an older file
        (files.sequence(files.sequence(files.split("a")), files.BYTES), (["a"], True)),
        (files.sequence(files.split("a", behavior="Removed", invert=True), files.BYTES), (["a"], False)),
        (files.sequence(files.digits(individual=True), files.GPT2), ([r"\p{N}", word_pattern.BYTE_LEVEL], True)),
        (files.sequence({**files.split(""), "pattern": {"String": "a.\n"}}, files.BYTES), (["a\\.\n"], True)),
    ],
)
def test_cuts(stated: dict[str, Any], expected: tuple[list[str], bool]) -> None:
    assert cuts(stated) == expected


@pytest.mark.parametrize(
    ("stated", "why"),
    [
        (None, "not of bytes"),
        ({"type": "Whitespace"}, "not of bytes"),
        (files.sequence(files.BYTES, files.split("a")), "not of bytes"),
        ({"type": "ByteLevel"}, "a space before the text"),
        (files.BYTES, "does not cut text"),
        (files.sequence({"type": "Punctuation"}, files.GPT2), "has a Punctuation"),
        (files.sequence(files.split("a", behavior="MergedWithNext"), files.BYTES), "splits in a way of its own"),
        (files.sequence(files.split("a", invert=True), files.BYTES), "splits in a way of its own"),
        (files.sequence(files.split("a", behavior="Removed", invert=True), files.GPT2), "removes text"),
    ],
)
def test_pre_tokenizers_that_are_refused(stated: dict[str, Any] | None, why: str) -> None:
    with pytest.raises(Inexpressible, match=why):
        cuts(stated)

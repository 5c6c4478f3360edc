"""What a match can begin with, and how long it can be."""

import re

import pytest

from curation.models.secrets.parse_tree import RUN, bytes_of, first_bytes, parsed, reach


@pytest.mark.parametrize(
    ("pattern", "plain", "other"),
    [
        pytest.param("a", b"aA", b"b1", id="a letter in both cases"),
        pytest.param("[a-c1]", b"abcABC1", b"d2", id="a class"),
        pytest.param("[^a\n]", b"b\xc3 A", b"a\n", id="a negated class"),
        pytest.param("[^a]", b"A\n", b"a", id="the other case is not excluded"),
        pytest.param(r"\d", b"09", b"a\xc3", id="a category"),
        pytest.param(r"\W", b"- \xc3", b"a_", id="a negated category"),
        pytest.param(".", b"a\xc3", b"\n", id="a dot"),
        pytest.param("é", b"\xc3\xa9", b"a", id="beyond ASCII"),
    ],
)
def test_bytes_of_one_character(pattern: str, plain: bytes, other: bytes) -> None:
    found = bytes_of(parsed(re.compile(pattern, re.ASCII))[0])
    assert found is not None
    assert found >= {*plain}
    assert not found & {*other}


@pytest.mark.parametrize(("pattern", "count"), [("[0-9]{5}", 5), ("[0-9]{32}", 8), ("([0-9]+)", 1), ("[0-9]*", 0)])
def test_first_bytes(pattern: str, count: int) -> None:
    assert first_bytes(parsed(re.compile(pattern, re.ASCII))[0])[1] == count


@pytest.mark.parametrize(
    ("pattern", "width"),
    [
        pytest.param("abc", 3, id="letters"),
        pytest.param("a{2,5}", 5, id="a repeat"),
        pytest.param(r"\b(a|bcd)?$", 3, id="alternatives"),
        pytest.param("a+", RUN, id="a repeat without an end"),
        pytest.param("a{50,}", 50, id="of at least more"),
        pytest.param("(?:xa*){3}", 3 * (RUN + 1), id="three of them"),
    ],
)
def test_reach(pattern: str, width: int) -> None:
    found = reach(parsed(re.compile(pattern, re.ASCII)))
    assert found is not None
    assert found[0] == width


def test_a_repeat_without_an_end_is_of_one_character() -> None:
    assert reach(parsed(re.compile("(?:ab)+"))) is None
    assert reach(parsed(re.compile("x[ab]+"))) == (1 + RUN, frozenset(b"abAB"))

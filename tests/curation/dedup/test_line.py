"""Which lines are equal, and which bytes are a line's own."""

import pytest

from curation.dedup.line import Line
from tests.curation.dedup.span_texts import texts_of_keys
from tests.support import documents

EVERY = Line(min_characters=1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("one line", ["one line"], id="no line break"),
        pytest.param("one\ntwo\n", ["one", "two"], id="a line break at the end"),
        pytest.param("one\n\n \t\ntwo", ["one", "two"], id="blank lines are none"),
        pytest.param("  one \r\n\ttwo\u3000\n", ["one", "two"], id="whitespace around"),
        pytest.param("one\rtwo\u2028three\vfour", ["one\rtwo\u2028three\vfour"], id="only line feeds end lines"),
        pytest.param("", [], id="empty"),
        pytest.param(" \n\n", [], id="blank"),
    ],
)
def test_lines(text: str, expected: list[str]) -> None:
    assert texts_of_keys(EVERY, text) == expected


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param("All rights RESERVED", "all  rights\treserved", True, id="case and whitespace"),
        pytest.param("All rights reserved", "All rights reserved.", False, id="punctuation"),
        pytest.param("Page 1", "Page 2", False, id="digits"),
    ],
)
def test_equal_lines(one: str, other: str, same: bool) -> None:
    keys = EVERY.keys(documents(f"{one}\n\n{other}"))
    assert ((keys.hi[0], keys.lo[0]) == (keys.hi[1], keys.lo[1])) is same


def test_the_key_of_a_known_line() -> None:
    keys = EVERY.keys(documents("\n Hello \n"))
    # MurmurHash3 x64 128 of "hello", as for whole texts
    assert (keys.hi.tolist(), keys.lo.tolist()) == ([0xCBD8A7B341BD9B02], [0x5B1E906A48AE1D19])


def test_lines_of_one_domain() -> None:
    urls = [
        "https://www.example.co.uk/a",
        "http://blog.example.co.uk:80/b",
        "https://other.co.uk/",
        "http://192.0.2.1/",
        None,
    ]
    batch = documents(*["Share this page"] * 5, url=urls)
    method = Line(by="domain", min_characters=1)
    keys = method.keys(batch)
    assert method.reads == ("text", "url")
    assert keys.row.tolist() == [0, 1, 2]
    assert len({*zip(keys.hi.tolist(), keys.lo.tolist(), strict=True)}) == 2
    assert (keys.hi[0], keys.lo[0]) == (keys.hi[1], keys.lo[1])
    assert (keys.start.tolist(), keys.stop.tolist()) == ([0, 0, 0], [15, 15, 15])
    assert method.libraries == ("tld",)
    assert not Line().libraries

"""Quotes, prompts and initials."""

import pytest

from curation.sources.documents.mail.quote_marks import initials, quotes_others, without_prompts


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        pytest.param([">>> 1 + 1", "2"], {0}, id="Python"),
        pytest.param(["> Sure.", ">>> 1 + 1", "2"], {1}, id="Python below a quote"),
        pytest.param([">> Sure?", ">>> Yes."], set(), id="quotes of quotes"),
        pytest.param(["> x <- 1", "> x", "[1] 1"], {0, 1}, id="R"),
        pytest.param(["> f <- function(x)", "+ x", "> f"], {0}, id="R, on two lines"),
        pytest.param(["> Why?", "Because."], set(), id="a quote"),
    ],
)
def test_prompts(lines: list[str], found: set[int]) -> None:
    marked = bytearray(line.startswith(">") for line in lines)
    left = without_prompts(lines, marked)
    assert {number for number in range(len(lines)) if marked[number] > left[number]} == found


@pytest.mark.parametrize(
    ("lines", "quotes"),
    [
        pytest.param(["> library(x)", "> plot(x)", "> x[1]"], False, id="prompts"),
        pytest.param(["> Why is it so?", "> And since when", "> do they say it?"], True, id="three lines of prose"),
        pytest.param(["> Why is it so?", "> And since when"], False, id="two lines of prose"),
        pytest.param(["> -----Original Message-----"], True, id="the mark of a message"),
        pytest.param(["> On 2 Jan 2020 at 3:04 Ann wrote:", "> > f(x)"], True, id="an attribution"),
    ],
)
def test_quotes_of_a_message_that_replies_to_none(lines: list[str], quotes: bool) -> None:
    assert quotes_others(lines, bytearray(b"\1" * len(lines))) == quotes


def test_initials() -> None:
    lines = ["DE> a", "DE> b", "DE> c", "if x> y", "C> dir", "> d"]
    assert initials(lines[:5]) == ("DE>",)

"""Phrases and counters in lines, against plain Python."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.lines import all_lines
from curation.text.phrases.line_phrases import are_counters, phrases_in

PHRASES = ("use of", "us", "{", "ücke", "javascript")
parts = st.sampled_from(
    ["use of", "USE", " of", "u", "s", "{", "Ücke", "ücke", "JavaScript", " ", "\u2003", "\n", "é", "x" * 60]
)
texts = st.lists(st.lists(parts, max_size=12).map("".join), max_size=4)


def ascii_lower(text: str) -> str:
    return "".join(char.lower() if char.isascii() else char for char in text)


@given(texts)
def test_phrases_in_any_case(values: list[str]) -> None:
    lines = [ascii_lower(line) for value in values if value for line in value.split("\n")]
    found = phrases_in(all_lines(pa.array(values, pa.large_string())).whole(), PHRASES)
    assert found.tolist() == [sum((phrase in line) << bit for bit, phrase in enumerate(PHRASES)) for line in lines]


@given(texts)
def test_whole_words(values: list[str]) -> None:
    lines = [ascii_lower(line).split() for value in values if value for line in value.split("\n")]
    found = phrases_in(all_lines(pa.array(values, pa.large_string())).whole(), ("us", "javascript"), whole_words=True)
    assert found.tolist() == [("us" in words) + 2 * ("javascript" in words) for words in lines]


def test_phrases_that_could_never_match_are_refused() -> None:
    spans = all_lines(pa.array(["a"])).whole()
    with pytest.raises(ValueError, match="in lower case"):
        phrases_in(spans, ("Read",))
    with pytest.raises(ValueError, match="empty phrase"):
        phrases_in(spans, ("",))
    with pytest.raises(ValueError, match="at most 64"):
        phrases_in(spans, ("a",) * 65)


@pytest.mark.parametrize(
    ("line", "counter"),
    [
        pytest.param("3 likes", True, id="number and word"),
        pytest.param("(1.2K Views)", True, id="thousands, any case, in brackets"),
        pytest.param("— 1,024\u00a0views…", True, id="commas, another blank"),
        pytest.param("٣ likes", True, id="digits of another script"),
        pytest.param("1 like", True, id="a word that begins another"),
        pytest.param("3likes", False, id="no blank"),
        pytest.param("3 likes so far", False, id="more words"),
        pytest.param("about 3 likes", False, id="a word before"),
        pytest.param("3 liked", False, id="another word"),
        pytest.param("3x likes", False, id="no magnitude"),
        pytest.param("likes", False, id="no number"),
        pytest.param("3", False, id="no word"),
        pytest.param("3 ", False, id="a number and a blank"),
        pytest.param(", 3 likes", True, id="marks before"),
    ],
)
def test_counters(line: str, counter: bool) -> None:
    spans = all_lines(pa.array([line])).whole()
    assert are_counters(spans, ("likes", "like", "views")).tolist() == [counter]

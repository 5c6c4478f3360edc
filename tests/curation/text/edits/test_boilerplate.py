"""Phrases cut out of lines."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

from curation.text.edits.boilerplate import Boilerplate, without
from curation.text.edits.line_edits import texts_of
from curation.text.lines import all_lines
from tests.curation.text.texts import batches, sliced

PHRASES = Boilerplate(anywhere=("in cart",), at_start=("sign-in",), at_end=("more…", "more..."))


def cut(text: str, phrases: Boilerplate = PHRASES) -> tuple[str, bool]:
    lines = all_lines(pa.array([text], pa.large_string()))
    after, edited = without(lines, np.ones(len(lines.starts), np.bool_), phrases)
    return bytes(after.data[after.begins[0] : after.ends[0]]).decode(), bool(edited[0])


@pytest.mark.parametrize(
    ("line", "after"),
    [
        pytest.param("  three  IN CART now ", "three now", id="anywhere"),
        pytest.param("Sign-in to go on", "to go on", id="at the start"),
        pytest.param("\tsign-in: here", ": here", id="at the start, before a mark"),
        pytest.param("A teaser MORE...", "A teaser", id="at the end"),
        pytest.param("é more… ", "é", id="not ASCII"),
        pytest.param("sign-in in cart more…", "", id="nothing else"),
        pytest.param("a in in cart cart b", "a b", id="one within another"),
        pytest.param("sign-in sign-in a more… more...", "a", id="several at the ends"),
        pytest.param("in cart more… a", "more… a", id="what ended only a part"),
    ],
)
def test_a_phrase_is_cut(line: str, after: str) -> None:
    assert cut(line) == (after, True)


@pytest.mark.parametrize("line", ["  go to sign-in ", "more… of it\u3000", "in  cart", " ", "sign in"])
def test_a_line_without_a_phrase_stays_as_it_stands(line: str) -> None:
    assert cut(line) == (line, False)


@given(batches)
def test_lines_that_were_not_chosen_stay(values: list[str | None]) -> None:
    lines = all_lines(sliced(values))
    none = np.zeros(len(lines.starts), np.bool_)
    after, edited = without(lines, none, Boilerplate(anywhere=("a",)))
    assert not edited.any()
    assert texts_of(after.whole()).equals(texts_of(lines.whole()))
    assert texts_of(after.trimmed()).equals(texts_of(lines.trimmed()))

"""Lines found, taken out and put back, against plain Python."""

import itertools
import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.edits.line_edits import (
    CODES,
    KINDS,
    SuspectPairs,
    count_changed,
    lines_with,
    replaced,
    suspect_pairs,
    texts_of,
)
from tests.curation.text.texts import sliced

# "a", "é", "\u0301"
A = 1
E = 2
MARK = 3
KIND = {"a": A, "é": E, "\u0301": MARK}
# é before a, a before é, and \u0301 anywhere, also at the beginning.
PAIRS = {(E, A), (A, E), *((kind, MARK) for kind in range(KINDS))}


def pairs_that_matter() -> SuspectPairs:
    kinds = np.zeros(CODES, np.uint8)
    pairs = np.zeros((KINDS, KINDS), np.uint8)
    for char, kind in KIND.items():
        kinds[ord(char)] = kind
    for pair in PAIRS:
        pairs[pair] = 1
    return suspect_pairs(kinds, pairs.ravel())


def matters(line: str) -> bool:
    kinds = [0, *(KIND.get(char, 0) for char in line)]
    return any(pair in PAIRS for pair in itertools.pairwise(kinds))


def split(text: str | None) -> list[str]:
    """The lines with their line feeds."""
    return [line for line in re.split(r"(?<=\n)", text or "") if line]


some = st.lists(
    st.one_of(
        st.none(), st.lists(st.sampled_from(["a", "é", "\u0301", "b", "\n", "中", "x" * 64]), max_size=12).map("".join)
    ),
    max_size=5,
)


@given(some)
def test_lines_with_a_pair(values: list[str | None]) -> None:
    found = lines_with(sliced(values), pairs_that_matter())
    expected = [[line for line in split(value) if matters(line)] for value in values]
    assert texts_of(found).to_pylist() == [line for lines in expected for line in lines]
    assert found.count().tolist() == [len(lines) for lines in expected]
    assert found.characters.tolist() == [len(line) for lines in expected for line in lines]


@given(some)
def test_lines_are_replaced(values: list[str | None]) -> None:
    text = sliced(values)
    found = lines_with(text, pairs_that_matter())
    assert replaced(text, found, texts_of(found)).to_pylist() == [value or "" for value in values]
    by = pa.array([f"<{line}中>" for line in texts_of(found).to_pylist()], pa.string())
    lines = [[f"<{one}中>" if matters(one) else one for one in split(v)] for v in values]
    assert replaced(text, found, by).to_pylist() == ["".join(one) for one in lines]


@pytest.mark.parametrize(
    ("line", "by", "changed"),
    [
        ("same", "same", 0),
        ("a", "b", 1),
        ("voilÃ\xa0 le", "voilà le", 2),
        ("cafe\u0301!", "café!", 2),
        ("abcd", "ad", 2),
        ("ad", "abcd", 1),
        ("é", "è", 1),
        ("aéb", "aèb", 1),
        ("", "x", 1),
        ("x", "", 1),
        ("aaaa", "aa", 2),
    ],
)
def test_characters_changed(line: str, by: str, changed: int) -> None:
    kinds = np.zeros(CODES, np.uint8)
    pairs = np.ones(KINDS * KINDS, np.uint8)
    found = lines_with(pa.array([line + "é"]), suspect_pairs(kinds, pairs))
    assert count_changed(found, pa.array([by + "é"])).tolist() == [changed]

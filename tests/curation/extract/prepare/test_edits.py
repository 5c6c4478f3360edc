"""Edits of a page: their order, and two that overlap."""

import pytest

from curation.extract.prepare.edits import Edit, edited


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        pytest.param([], b"abcdef", id="none"),
        pytest.param([Edit(4, 5, b"-"), Edit(1, 2, b"+")], b"a+cd-f", id="in any order"),
        pytest.param([Edit(2, 2, b"+"), Edit(6, 6, b"-")], b"ab+cdef-", id="insertions"),
        pytest.param([Edit(2, 4, b"+"), Edit(2, 2, b"-")], b"ab-+ef", id="an insertion where another begins"),
        pytest.param([Edit(1, 4, b"+"), Edit(2, 3, b"-"), Edit(4, 5, b"")], b"a+f", id="the first of two that overlap"),
    ],
)
def test_edited(edits: list[Edit], expected: bytes) -> None:
    assert edited(b"abcdef", edits) == expected

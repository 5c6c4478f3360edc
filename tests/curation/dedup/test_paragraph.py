"""Which paragraphs are equal, and which bytes are a paragraph's own."""

import pytest

from curation.core.dedup_methods import DedupMethod
from curation.dedup.paragraph import Paragraph
from tests.curation.dedup.span_texts import texts_of_keys
from tests.support import documents

EVERY = Paragraph(min_characters=1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("one line", ["one line"], id="one line"),
        pytest.param("one\ntwo\n\nthree", ["one\ntwo", "three"], id="two lines make one"),
        pytest.param("one\n \t\n\n\ntwo\n", ["one", "two"], id="several blank lines"),
        pytest.param("\n\n  one \r\n two \r\n\r\nthree\n", ["one \r\n two", "three"], id="whitespace around"),
        pytest.param("", [], id="empty"),
        pytest.param(" \n\n\u2003\n", [], id="blank"),
    ],
)
def test_paragraphs(text: str, expected: list[str]) -> None:
    assert texts_of_keys(EVERY, text) == expected


def test_lines_may_be_broken_elsewhere() -> None:
    keys = EVERY.keys(documents("All rights\nreserved", "all RIGHTS reserved\n\nother", "All\n\nrights reserved"))
    assert keys.row.tolist() == [0, 1, 1, 2, 2]
    assert (keys.hi[0], keys.lo[0]) == (keys.hi[1], keys.lo[1])
    assert len(set(keys.hi.tolist())) == 4


def test_it_is_a_dedup_method_that_cuts_second_copies() -> None:
    assert isinstance(Paragraph(), DedupMethod)
    assert Paragraph().min_copies == 2

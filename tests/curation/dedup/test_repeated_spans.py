"""What repeated lines and paragraphs have in common: which units are counted, and what cannot be asked for."""

from typing import Any

import pytest

from curation.dedup.line import Line
from curation.dedup.paragraph import Paragraph
from curation.dedup.repeated_spans import SHORTER_THAN, Units
from tests.support import documents


def counted(text: str, **options: Any) -> int:
    return len(Line(**options).keys(documents(text)).row)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("n" * SHORTER_THAN, 1, id="30 characters"),
        pytest.param("n" * (SHORTER_THAN - 1), 0, id="29 characters"),
        pytest.param("é" * SHORTER_THAN, 1, id="30 characters in 60 bytes"),
        pytest.param("é" * (SHORTER_THAN - 1), 0, id="29 characters in 58 bytes"),
        pytest.param("a" + " " * 40 + "b", 0, id="characters of the normal form count"),
    ],
)
def test_short_units_are_not_counted(text: str, count: int) -> None:
    assert counted(text) == count


def test_the_limit_can_be_changed() -> None:
    assert counted("Home\n\nA\n \n", min_characters=1) == 2
    assert counted("Home\n\nA\n \n", min_characters=4) == 1
    assert counted("Home\n\nA\n \n", min_characters=5) == 0


def test_keys_are_in_the_order_of_rows_and_of_the_text() -> None:
    keys = Line(min_characters=1).keys(documents("b\na\nb", None, "", " \n", "a"))
    assert keys.row.tolist() == [0, 0, 0, 4]
    assert keys.hi[0] == keys.hi[2]
    assert keys.lo[0] == keys.lo[2]
    assert keys.hi[1] == keys.hi[3]
    assert keys.hi[0] != keys.hi[1]


def test_spans_are_bytes_of_each_row_s_own_text_also_in_a_slice() -> None:
    batch = documents("before", None, "é\nä", "one\n two ").slice(1)
    keys = Line(min_characters=1).keys(batch)
    assert keys.start is not None
    assert keys.stop is not None
    found = list(zip(keys.row.tolist(), keys.start.tolist(), keys.stop.tolist(), strict=True))
    assert found == [(1, 0, 2), (1, 3, 5), (2, 0, 3), (2, 5, 8)]


@pytest.mark.parametrize("kind", [Line, Paragraph])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_characters": 0}, "min_characters must be at least 1, got 0"),
        ({"min_copies": 1}, "min_copies must be at least 2, got 1"),
    ],
)
def test_what_cannot_be(kind: type[Units], options: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind(**options)
